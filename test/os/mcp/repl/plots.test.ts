/** Cases 95 to 106: pictures. */
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { replIn } from "./support/open-repl.ts";

const PLT = "import matplotlib.pyplot as plt\n";

/** Width and height of a PNG. */
function sizeOf(png = ""): number[] {
  const bytes = Buffer.from(png, "base64");
  expect(bytes.subarray(1, 4).toString()).toBe("PNG");
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
}

describe("figures of matplotlib", () => {
  const python = replIn("python");

  it("95, 97, 98: a figure comes once, again when it changed, and not with other cells", async () => {
    const first = await python.call(`${PLT}_ = plt.plot([1, 2])\nplt.show()`);
    expect(first.images).toHaveLength(1);
    expect(first.items.find(({ type }) => type === "image")?.mimeType).toBe("image/png");
    const second = await python.call("_ = plt.plot([2, 1])\nplt.show()");
    expect(second.images).toHaveLength(1);
    expect(second.text).toMatch(/image update/);
    expect(second.images[0]).not.toBe(first.images[0]);
    expect(await python.call("1+1")).toMatchObject({ text: "2\n", images: [] });
  });

  it("96: two plots of one figure in a cell are one picture", async () => {
    const { images } = await python.call(
      `${PLT}_ = plt.plot([1, 2])\nplt.show()\n_ = plt.plot([2, 1])\nplt.show()`,
    );
    expect(images).toHaveLength(1);
  });

  it("99: the same plot once more is the same picture once more", async () => {
    const cell = `${PLT}_ = plt.figure(1, clear=True)\n_ = plt.plot([1, 2])\nplt.show()`;
    const [first, second] = [await python.call(cell), await python.call(cell)];
    expect(first.images).toHaveLength(1);
    expect(second.images).toEqual(first.images);
  });

  it("100: of many, the first and the last are shown, and all are in files", async () => {
    const { images, text } = await python.call(
      `${PLT}for i in range(6):\n    _ = plt.figure()\n    _ = plt.plot([i])\n    print('figure', i)\n    plt.show()\nimport time`,
    );
    expect(images).toHaveLength(2);
    const [index = ""] = /\/\S*events\.log/.exec(text) ?? [];
    expect(existsSync(index)).toBe(true);
    const pictures = readdirSync(path.join(path.dirname(index), "images"));
    expect(pictures.filter((name) => name.endsWith(".png")).sort()).toEqual(
      [1, 2, 3, 4, 5, 6].map((n) => `00${n}.png`),
    );
  });

  it("101: a figure comes with the question that follows it", async () => {
    const { images, text } = await python.call(`${PLT}_ = plt.plot([1, 2])\nx = input('q ')`);
    expect(images).toHaveLength(1);
    expect(text).toBe("q ");
    await python.call("a");
  });

  it("102: what a thread draws between cells is nobody's", async () => {
    await python.call(
      `${PLT}import os, threading, time\n_ = plt.plot([1])\ndef draw():\n    while not os.path.exists('go102'): time.sleep(0.01)\n    _ = plt.plot([3, 1, 2])\n    print('drawn')\nthreading.Thread(target=draw).start()`,
    );
    writeFileSync(path.join(python.client.place.workspace, "go102"), "");
    expect(await python.client.until("drawn", "")).toContain("drawn");
    expect((await python.call("")).images).toEqual([]);
    expect((await python.call("1")).images).toEqual([]);
  });

  it("105: an interrupt shows what was drawn before it", async () => {
    await python.client.until(
      "begun",
      `${PLT}import time\n_ = plt.plot([1, 2])\nprint('begun')\ntime.sleep(60)`,
    );
    const { images, text } = await python.call("\u0003");
    expect(images).toHaveLength(1);
    expect(text).toContain("KeyboardInterrupt");
  });

  it("106: a value that draws itself is shown as a picture", async () => {
    const { images } = await python.call(
      [
        "import base64",
        `png = base64.b64decode('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==')`,
        "class Dot:",
        "    def _repr_png_(self): return png",
        "Dot()",
      ].join("\n"),
    );
    expect(images.map((png) => sizeOf(png))).toEqual([[1, 1]]);
  });
});

describe("plots of R", () => {
  const r = replIn("r", { restarts: false });

  it("103: a plot comes before the text that follows it", async () => {
    const { items } = await r.call("plot(1:3)\ncat('after\\n')");
    expect(items.map(({ type }) => type)).toEqual(["image", "text"]);
    expect(items[1]?.text).toBe("after\n> ");
    expect(sizeOf(items[0]?.data)).toEqual([800, 600]);
  });

  it("104: its size follows the options from the next page on", async () => {
    await r.call(
      'options(console.plot.width=400, console.plot.height=300, console.plot.units="px")',
    );
    const { images } = await r.call("plot(3:1)");
    expect(images.map((png) => sizeOf(png))).toEqual([[400, 300]]);
  });

  it("98: a later call has no picture", async () => {
    expect(await r.call("1+1")).toMatchObject({ images: [], text: "[1] 2\n> " });
  });
});
