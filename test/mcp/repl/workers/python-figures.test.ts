import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { FAKE_MATPLOTLIB } from "./support/fake-matplotlib.ts";
import { startPython } from "./support/start-python.ts";
import type { BatchReply } from "./support/worker-driver.ts";

const IMPORT = "import matplotlib.pyplot as plt\n";

const startPlotting = () => startPython({ env: { PYTHONPATH: temporaryFolder(FAKE_MATPLOTLIB) } });

const pictures = ({ images }: BatchReply) =>
  images.map(({ data_b64, is_update, source, mime_type }) => {
    expect(mime_type).toBe("image/png");
    return { picture: Buffer.from(data_b64, "base64").toString(), is_update, source };
  });

const first = (picture: string, source = "figure 1") => ({ picture, source, is_update: false });
const update = (picture: string, source = "figure 1") => ({ picture, source, is_update: true });

describe("a figure of a Python cell", () => {
  it("is shown once, in its last state", async () => {
    const python = await startPlotting();
    const reply = await python.run(`${IMPORT}plt.plot(1)\nplt.show()\nplt.plot(2)\nplt.show()`);
    expect(pictures(reply)).toEqual([first("png [1, 2]")]);
  });

  it("is shown again when a later cell changes it, and only then", async () => {
    const python = await startPlotting();
    await python.run(`${IMPORT}plt.plot(1)`);
    expect(pictures(await python.run("1+1"))).toEqual([]);
    expect(pictures(await python.run("plt.plot(2)"))).toEqual([update("png [1, 2]")]);
    expect(pictures(await python.run("plt.figure(1).stale = True"))).toEqual([]);
  });

  it("is shown again when it is asked for, changed or not", async () => {
    const python = await startPlotting();
    const cell = "plt.clf(); plt.plot(1); plt.show()";
    await python.run(IMPORT + cell);
    expect(pictures(await python.run(cell))).toEqual([update("png [1]")]);
    expect(pictures(await python.run("1"))).toEqual([]);
  });

  it("has its own number, and is new when another had it", async () => {
    const python = await startPlotting();
    const reply = await python.run(`${IMPORT}plt.plot(1, 2); plt.plot(1, 1)`);
    expect(pictures(reply)).toEqual([first("png [1]"), first("png [1]", "figure 2")]);
    expect(pictures(await python.run("plt.close(); plt.plot(1)"))).toEqual([first("png [1]")]);
  });

  it("is shown before a question, and after an error", async () => {
    const python = await startPlotting();
    expect(pictures(await python.run(`${IMPORT}plt.plot(1)\ninput('? ')`))).toHaveLength(1);
    expect(pictures(await python.run("answer"))).toEqual([]);
    const failed = await python.run("plt.plot(2)\n1/0");
    expect(pictures(failed)).toEqual([update("png [1, 2]")]);
    expect(failed.stderr).toContain("ZeroDivisionError");
  });

  it("is shown when an interrupt ends the cell", async () => {
    const python = await startPlotting();
    const input = `${IMPORT}import time\nplt.plot(1)\nprint('S')\ntime.sleep(600)`;
    python.send({ type: "input_batch", input });
    await python.sees("S");
    python.interrupt();
    expect(pictures(await python.reply())).toHaveLength(1);
  });

  it("that a thread drew between cells belongs to none", async () => {
    const folder = temporaryFolder(FAKE_MATPLOTLIB);
    const python = await startPython({ env: { PYTHONPATH: folder }, cwd: folder });
    const draw =
      "def draw():\n  while not os.path.exists('go'): time.sleep(0.001)\n  plt.plot(1)\n  print('drawn')";
    await python.run(
      `${IMPORT}import os, threading, time\n${draw}\nthreading.Thread(target=draw).start()`,
    );
    writeFileSync(path.join(folder, "go"), "");
    await python.sees("drawn");
    expect(pictures(await python.run("1"))).toEqual([]);
    expect(pictures(await python.run("plt.plot(2)"))).toEqual([first("png [1, 2]")]);
  });

  it("may be a value that draws itself", async () => {
    const python = await startPlotting();
    const one = "class P:\n  def _repr_png_(self): return b'me'\n";
    const reply = await python.run(`${one}P()`);
    expect(reply.text).toBe("");
    expect(pictures(reply)).toEqual([{ ...first("me"), source: undefined }]);
    const none = await python.run("class Q(P):\n  def _repr_png_(self): return None\nQ()");
    expect(none.text).toMatch(/^<__main__.Q object/);
    const broken = await python.run("class R(P):\n  def _repr_png_(self): 1/0\nR()");
    expect(broken.text).toMatch(/ZeroDivisionError[\s\S]*<__main__.R object/);
  });
});
