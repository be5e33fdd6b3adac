import { describe, expect, it } from "vitest";
import { NONE, replLab } from "./support/repl-lab.ts";
import type { ScriptedWorker } from "./support/scripted-workers.ts";

const [C, D] = ["\u0003", "\u0004"];
const WITHDRAWN = /\[repl\] interrupted before it ran; input discarded$/;

/** Calls `act` once a worker is told to end, which it does when that is over. */
function whenToldToEnd({ process }: ScriptedWorker, act: () => Promise<unknown>): void {
  process.polite = false;
  process.onLine = (line) => {
    if (line.includes("shutdown")) void act().then(() => process.exit(0));
  };
}

describe("an interrupt while a worker is replaced", () => {
  it("withdraws the input that waits for the next one, whatever the old one is at", async () => {
    for (const first of ["hang", "one"]) {
      const { executor, run } = replLab();
      await run(first, { timeoutMs: 30 });
      const stops: Promise<string>[] = [];
      whenToldToEnd(executor.last, async () => void stops.push(run(C, { context: NONE })));
      expect(await run(`${D}hang two`, { timeoutMs: 500 })).toMatch(WITHDRAWN);
      expect(executor.workers.map(({ inputs }) => inputs)).toEqual([[first], []]);
      expect(await stops[0]).not.toMatch(/busy/);
      expect(await run("three")).toBe("ran three\n");
    }
  });

  it("withdraws it also where another policy replaces it", async () => {
    const { executor, run, full } = replLab();
    await run("hang", { timeoutMs: 0 });
    let open = () => {};
    executor.gate = new Promise((resolve) => {
      open = () => resolve(undefined);
    });
    const second = run("hang two", { context: full("sub"), timeoutMs: 500 });
    await expect.poll(() => executor.requests).toHaveLength(2);
    const stop = run(C);
    open();
    expect(await second).toMatch(WITHDRAWN);
    expect(await stop).not.toMatch(/busy/);
    expect(executor.last.inputs).toEqual([]);
  });

  it("withdraws it where the old one has said that it ends", async () => {
    const { executor, run } = replLab();
    await run("one");
    const old = executor.last;
    old.say({ type: "session_end", message: "exit 3" });
    await expect.poll(() => old.process.taken).toBeGreaterThan(3);
    const second = run("hang two", { timeoutMs: 500 });
    const stop = run(C);
    old.process.exit(3);
    expect(await second).toMatch(WITHDRAWN);
    expect(await stop).not.toMatch(/busy/);
    expect([old.interrupts, executor.last.inputs]).toEqual([0, []]);
  });
});

describe("an interrupt at a prompt", () => {
  it("withdraws the input that is about to be handed over there", async () => {
    const { executor, run } = replLab();
    await run("ask name: ");
    const second = run("two");
    const stop = run(C);
    expect(await second).toMatch(WITHDRAWN);
    expect(await stop).not.toMatch(/busy/);
    expect(executor.last.inputs).toEqual(["ask name: "]);
  });
});

describe("an interrupt while a restart waits for its turn", () => {
  it("withdraws the input that comes with it", async () => {
    const { executor, run } = replLab();
    const first = run("hang ");
    await expect.poll(() => executor.workers[0]?.inputs).toEqual(["hang "]);
    const second = run(`${D}hang two`, { timeoutMs: 500 });
    const stop = run(C);
    await first;
    expect(await second).toMatch(WITHDRAWN);
    expect(await stop).not.toMatch(/busy/);
    expect(executor.last.inputs).toEqual([]);
  });

  it("stops what runs as well: the restart may be refused", async () => {
    const { executor, call, run } = replLab();
    await run("hang", { timeoutMs: 0 });
    const restart = call(`${D}two`, { context: NONE });
    expect(await run(C)).toBe("stderr: KeyboardInterrupt\n[repl] interrupted");
    expect(await restart).toMatchObject({ facts: { status: "refused" } });
    expect(executor.requests).toHaveLength(1);
  });

  it("is no withdrawal where a call before it is cancelled", async () => {
    const { executor, call, run } = replLab();
    const cancelled = new AbortController();
    const first = call("hang", { signal: cancelled.signal });
    await expect.poll(() => executor.workers[0]?.inputs).toEqual(["hang"]);
    const second = run(`${D}two`);
    cancelled.abort();
    await first;
    expect(await second).toMatch(/ran two\n$/);
  });
});
