import { describe, expect, it } from "vitest";
import { managed } from "../../state/support/states.ts";
import { BAD, NONE, replLab } from "./support/repl-lab.ts";
import type { ScriptedWorker } from "./support/scripted-workers.ts";

const C = "\u0003";
const STOPPED = "stderr: KeyboardInterrupt\n[repl] interrupted";

/** Has a worker ask before it hears of an interrupt. */
function asksFirst(worker: ScriptedWorker): void {
  worker.onInterrupt = () => {
    worker.ask("name: ", () => worker.ready());
    setTimeout(() => worker.interrupted(), 30);
  };
}

describe("an interrupt", () => {
  it("stops what runs, needs no state, and says that it did", async () => {
    for (const context of [NONE, BAD]) {
      const { executor, call, run } = replLab();
      await run("hang", { timeoutMs: 0 });
      const reply = await call(C, { context });
      expect(reply).toMatchObject({ text: STOPPED, isError: false, facts: { status: "idle" } });
      expect(executor.last.process.done).toEqual(["interrupt of the command"]);
      expect(await run("two")).toBe("ran two\n");
      expect(executor.requests).toHaveLength(1);
    }
  });

  it("reaches what runs at once, also while the call that runs it waits", async () => {
    const { executor, run } = replLab();
    const first = run("hang ");
    await expect.poll(() => executor.workers[0]?.inputs).toEqual(["hang "]);
    expect(await run(C, { context: NONE })).toBe("[repl] interrupted");
    expect(await first).toBe("stderr: KeyboardInterrupt\n");
    expect(executor.last.interrupts).toBe(1);
  });

  it("with a tail reaches it at once too, and then runs the tail", async () => {
    const { executor, run } = replLab();
    const first = run("hang ");
    await expect.poll(() => executor.workers[0]?.inputs).toEqual(["hang "]);
    expect(await run(`${C}two`)).toBe("[repl] interrupted\nran two\n");
    expect(await first).toBe("stderr: KeyboardInterrupt\n");
    expect(executor.last.interrupts).toBe(1);
  });

  it("with a tail and no good state touches nothing, before its turn or in it", async () => {
    const { executor, call, run } = replLab();
    const first = run("hang ");
    await expect.poll(() => executor.workers[0]?.inputs).toEqual(["hang "]);
    const refused = [call(`${C}two`, { context: NONE }), call(`${C}two`, { context: BAD })];
    executor.last.ready();
    await first;
    for (const reply of await Promise.all(refused)) {
      expect(reply).toMatchObject({ isError: true, facts: { status: "refused" } });
    }
    expect([executor.last.interrupts, executor.last.process.done]).toEqual([0, []]);
    expect(executor.last.inputs).toEqual(["hang "]);
  });

  it("with a tail touches nothing under a state that this host cannot bind", async () => {
    const { executor, call, run, full } = replLab();
    const first = run("hang ");
    await expect.poll(() => executor.workers[0]?.inputs).toEqual(["hang "]);
    const unknown = { type: "special", value: { kind: "unknown", path: ":later" } };
    const context = full(".", managed([{ path: unknown, access: "deny" }]));
    const refused = call(`${C}two`, { context });
    executor.last.ready();
    await first;
    const facts = { status: "refused", refusal: "unenforceable" };
    expect(await refused).toMatchObject({ isError: true, facts });
    expect(executor.last.interrupts).toBe(0);
    expect(executor.last.inputs).toEqual(["hang "]);
  });

  it("stops what was begun between its coming and its turn", async () => {
    const { executor, run } = replLab();
    const first = run("hang ");
    await expect.poll(() => executor.workers[0]?.inputs).toEqual(["hang "]);
    const second = run("hang two", { timeoutMs: 30 });
    const stop = run(C);
    await first;
    await second;
    expect(await stop).toMatch(/KeyboardInterrupt\n\[repl\] interrupted$/);
    expect(executor.last.interrupts).toBe(2);
  });

  it("leaves an interpreter that waits alone, and the next input is no victim of it", async () => {
    const { executor, run } = replLab();
    await run("one");
    expect(await run(C)).toBe("<<repl status: idle>>");
    expect(await run(`${C}two`)).toBe("ran two\n");
    expect([executor.last.interrupts, executor.last.process.done]).toEqual([0, []]);
  });

  it("takes a program out of its question, and the next input is no answer", async () => {
    const { executor, run } = replLab();
    await run("ask name: ");
    expect(await run(C)).toBe(STOPPED);
    expect(await run("two")).toBe("ran two\n");
    await run("ask name: ");
    expect(await run(`${C}three`)).toBe(`${STOPPED}\nran three\n`);
    expect(executor.last.interrupts).toBe(2);
  });

  it("takes a program out of the question that it had asked already, unheard", async () => {
    const { executor, run } = replLab();
    const first = run("hang ");
    await expect.poll(() => executor.workers[0]?.inputs).toEqual(["hang "]);
    asksFirst(executor.last);
    expect(await run(`${C}two`)).toBe(`${STOPPED}\nran two\n`);
    expect(await first).toBe("name: ");
  });

  it("is not waited for where a program goes on asking", async () => {
    const { executor, call } = replLab();
    await call("ask > ");
    executor.last.heedsInterrupts = false;
    expect(await call(C)).toMatchObject({ text: "<<repl status: idle>>\n> " });
    expect(executor.last.interrupts).toBe(1);
  });

  it("that is not heeded leaves the session busy, and the input unused", async () => {
    const { executor, call } = replLab();
    await call("hang", { timeoutMs: 0 });
    executor.last.heedsInterrupts = false;
    const bare = await call(C, { timeoutMs: 30 });
    expect(bare.text).toMatch(/^\[repl\] interrupted\n<<repl status: busy/);
    const tail = await call(`${C}two`, { timeoutMs: 30 });
    expect(tail.text).toMatch(/input discarded while worker busy$/);
    expect(executor.last.inputs).toEqual(["hang"]);
  });

  it("does nothing where there is no worker, and starts none", async () => {
    const { executor, call } = replLab();
    expect(await call(C, { context: NONE })).toMatchObject({ text: "", isError: false });
    expect(executor.requests).toEqual([]);
    expect(await call(`${C}one`)).toMatchObject({ text: "ran one\n" });
  });

  it("is a control only in front", async () => {
    const { executor, run } = replLab();
    await run(`one${C}`);
    expect(executor.last.inputs).toEqual([`one${C}`]);
  });
});

describe("a call that is cancelled", () => {
  it("interrupts what it runs; the session and what it printed survive", async () => {
    const { executor, call, run } = replLab();
    const cancelled = new AbortController();
    const first = call("hang begun\n", { signal: cancelled.signal });
    await expect.poll(() => executor.workers[0]?.inputs).toHaveLength(1);
    cancelled.abort();
    expect(await first).toMatchObject({ text: "", isError: false });
    expect(executor.last.interrupts).toBe(1);
    expect(await run("two")).toBe("begun\nstderr: KeyboardInterrupt\nran two\n");
    expect(executor.requests).toHaveLength(1);
  });

  it("takes what it runs out of a question that was on its way, so that the next input is no answer", async () => {
    const { executor, call, run } = replLab();
    const cancelled = new AbortController();
    const first = call("hang", { signal: cancelled.signal });
    await expect.poll(() => executor.workers[0]?.inputs).toHaveLength(1);
    asksFirst(executor.last);
    cancelled.abort();
    await first;
    expect(await run("two")).toBe("stderr: KeyboardInterrupt\nran two\n");
  });

  it("only looks no longer where it only looked", async () => {
    const { executor, call, run } = replLab();
    await call("hang", { timeoutMs: 0 });
    const cancelled = new AbortController();
    const poll = call("", { signal: cancelled.signal });
    setTimeout(() => cancelled.abort(), 60);
    expect(await poll).toMatchObject({ text: "" });
    executor.last.print("text\n");
    executor.last.ready();
    expect([executor.last.interrupts, await run("")]).toEqual([0, "text\n"]);
  });

  it("is never begun when that came before its turn", async () => {
    const { executor, call, run } = replLab();
    const first = run("hang");
    await expect.poll(() => executor.workers[0]?.inputs).toHaveLength(1);
    const cancelled = new AbortController();
    const second = call("two", { signal: cancelled.signal });
    const restart = call("\u0004", { signal: cancelled.signal });
    cancelled.abort();
    executor.last.ready();
    await Promise.all([first, second, restart]);
    expect(executor.last.inputs).toEqual(["hang"]);
    expect(await run("three")).toBe("ran three\n");
    expect(executor.requests).toHaveLength(1);
  });

  it("throws nothing of others away while it waits for what runs", async () => {
    const { executor, call, run } = replLab();
    await call("hang", { timeoutMs: 0 });
    const cancelled = new AbortController();
    const second = call("two", { signal: cancelled.signal });
    setTimeout(() => cancelled.abort(), 60);
    expect(await second).toMatchObject({ text: "" });
    executor.last.print("first\n");
    executor.last.ready();
    expect(await run("")).toBe("first\n");
    expect([executor.last.inputs, executor.last.interrupts]).toEqual([["hang"], 0]);
  });

  it("leaves the end of the session for the next one to tell", async () => {
    const { executor, call, run } = replLab();
    const cancelled = new AbortController();
    const first = call("hang", { signal: cancelled.signal });
    await expect.poll(() => executor.workers[0]?.inputs).toHaveLength(1);
    executor.last.heedsInterrupts = false;
    cancelled.abort();
    executor.last.end("exit 3", 3);
    await first;
    expect(await run("two")).toBe("[repl] session ended (exit 3)\nran two\n");
  });
});
