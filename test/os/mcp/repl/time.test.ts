/**
 * Cases 39 to 52: time that is over, polls, and input while something runs.
 *
 * Case 50, the time a call has that names none, would take a minute here; the tests of the call
 * budget have it.
 */
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { openRepl, replIn } from "./support/open-repl.ts";

const BUSY = /<<repl status: busy, [^>]*elapsed_ms=\d+>>/;
const IDLE = "<<repl status: idle>>";
const DISCARDED = "[repl] input discarded while worker busy";

describe("an R session and time", () => {
  const r = replIn("r", { restarts: false });

  it("39, 40: what takes longer is told as busy, and a poll has the rest", async () => {
    const begun = await r.call(
      'cat("S\\n"); flush.console(); while (!file.exists("go39")) Sys.sleep(0.01); cat("E\\n")',
      { timeoutMs: 3000 },
    );
    expect(begun.text).toMatch(/^S\n/);
    expect(begun.text).toMatch(BUSY);
    expect(begun.facts).toMatchObject({ status: "busy" });
    writeFileSync(path.join(r.client.place.workspace, "go39"), "");
    expect((await r.call("")).text).toBe("E\n> ");
  });

  it("42: a poll of an idle session says so, and shows the prompt", async () => {
    await r.call("1");
    expect((await r.call("")).text).toMatch(/^<<repl status: idle>>\n?> $/);
  });

  it("46: what was left comes before the next result", async () => {
    await r.call('while (!file.exists("go46")) Sys.sleep(0.01); cat("left\\n")', { timeoutMs: 0 });
    writeFileSync(path.join(r.client.place.workspace, "go46"), "");
    await expect.poll(async () => (await r.call("2+2")).text).toMatch(/\[1\] 4\n> $/);
  });
});

describe("a Python session and time", () => {
  const python = replIn("python");
  const waitsFor = (file: string) =>
    `import os, time\nwhile not os.path.exists("${file}"): time.sleep(0.005)\n`;
  const goOn = (file: string) => writeFileSync(path.join(python.client.place.workspace, file), "");

  it("41: without any time it is busy at once, and a poll has the result", async () => {
    const { text, facts } = await python.call("print('done')", { timeoutMs: 0 });
    expect(text).toMatch(BUSY);
    expect(facts.status).toBe("busy");
    expect((await python.call("")).text).toBe("done\n");
  });

  it("43: a poll of an idle session says so and nothing else", async () => {
    await python.call("1");
    expect(await python.call("")).toMatchObject({ text: IDLE, facts: { status: "idle" } });
  });

  it("44: a poll of a server that runs nothing starts a worker", async () => {
    const client = await openRepl({ flags: ["--language", "python"] });
    expect(client.workers()).toEqual([]);
    expect((await client.call("")).text).toBe(IDLE);
    expect(client.workers()).not.toEqual([]);
  });

  it("45: input for a session that is busy is discarded, and the reply says so", async () => {
    await python.call(waitsFor("go45"), { timeoutMs: 50 });
    const { items } = await python.call("open('ran45', 'w')", { timeoutMs: 300 });
    expect(items.map(({ text }) => text?.trim())).toEqual([expect.stringMatching(BUSY), DISCARDED]);
    goOn("go45");
    await python.call("");
    expect(existsSync(path.join(python.client.place.workspace, "ran45"))).toBe(false);
  });

  it("46: what was left comes before the next result", async () => {
    await python.call(`${waitsFor("go46")}print('left')\nopen('over46', 'w').close()`, {
      timeoutMs: 50,
    });
    goOn("go46");
    const over = path.join(python.client.place.workspace, "over46");
    await expect.poll(() => existsSync(over)).toBe(true);
    expect((await python.call("2+2")).text).toBe("left\n4\n");
  });

  it("47: each poll has only what is new", async () => {
    const steps = [1, 2].map((n) => `${waitsFor(`go47-${n}`)}print('step ${n}')\n`).join("");
    await python.call(`${steps}${waitsFor("go47-3")}`, { timeoutMs: 50 });
    goOn("go47-1");
    const first = await python.client.until("step 1", "");
    goOn("go47-2");
    const second = await python.client.until("step 2", "");
    expect(first).not.toContain("step 2");
    expect(second).not.toContain("step 1");
    goOn("go47-3");
    expect((await python.call("")).text).toBe(IDLE);
  });

  it("48: what a thread prints after its cell is told once", async () => {
    await python.call(
      `import threading\ndef late():\n    ${waitsFor("go48").replaceAll("\n", "\n    ")}\n    print('late')\nthreading.Thread(target=late).start()`,
    );
    goOn("go48");
    expect(await python.client.until("late", "")).toContain("late\n");
    expect((await python.call("")).text).toBe(IDLE);
  });

  it("49: what a thread prints comes before the output of the next cell", async () => {
    await python.call(
      `import threading\ndef late():\n    ${waitsFor("go49").replaceAll("\n", "\n    ")}\n    print('late')\n    open('over49', 'w').close()\nthreading.Thread(target=late).start()`,
    );
    goOn("go49");
    const over = path.join(python.client.place.workspace, "over49");
    await expect.poll(() => existsSync(over)).toBe(true);
    expect((await python.call("print('n')")).text).toBe("late\nn\n");
  });

  it("51: a call that is cancelled is interrupted, and its session lives on", async () => {
    const { client } = python;
    await client.call("x = 5");
    const requestId = client.nextId;
    const running = client.tool({
      input: "open('begun51', 'w').close()\nimport time\ntime.sleep(60)\nopen('over51', 'w')",
    });
    const begun = path.join(client.place.workspace, "begun51");
    await expect.poll(() => existsSync(begun)).toBe(true);
    client.notify("notifications/cancelled", { requestId, reason: "test" });
    // The next call waits for its turn, so that it is served once the cancelled one is over.
    const next = await client.call("x");
    expect(next.text).toMatch(/5\n$/);
    expect(existsSync(path.join(client.place.workspace, "over51"))).toBe(false);
    // A request that was cancelled has no answer.
    const outcome = await Promise.race([running, client.call("1").then(() => "none")]);
    expect(outcome).toBe("none");
  });

  it("52: a call with a token hears how long it runs", async () => {
    const { client } = python;
    const sleeping = client.tool(
      { input: "import time\ntime.sleep(1.6)" },
      { progressToken: "token-52" },
    );
    await sleeping;
    const progress = client.notices.filter(({ method }) => method === "notifications/progress");
    expect(progress[0]).toMatchObject({ params: { progressToken: "token-52", progress: 1 } });
  });
});

describe.each([
  [
    "node",
    "while (!require('fs').existsSync('go41')) await new Promise((done) => setTimeout(done, 10)); console.log('done')",
  ],
  ["bash", "until [ -e go41 ]; do sleep 0.01; done; echo done"],
])("a %s session and time", (language, code) => {
  const repl = replIn(language);

  it("41, 45, 43: busy, discarded, done, idle", async () => {
    expect((await repl.call(code, { timeoutMs: 0 })).text).toMatch(BUSY);
    expect((await repl.call("nonsense", { timeoutMs: 0 })).text).toContain(DISCARDED);
    writeFileSync(path.join(repl.client.place.workspace, "go41"), "");
    expect((await repl.call("")).text).toBe("done\n");
    expect((await repl.call("")).text).toBe(IDLE);
  });
});
