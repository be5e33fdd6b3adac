import { describe, expect, it } from "vitest";
import { ExecError } from "../../../../src/exec/index.ts";
import type { WorkerPolicy } from "../../../../src/mcp/index.ts";
import { type SandboxState, uriOfNative } from "../../../../src/policy/index.ts";
import { BAD, filesOutput, NONE, replLab } from "./support/repl-lab.ts";

const C = "\u0003";
const CHANGED = "[repl] sandbox policy changed; new session started";
const ABORTED = "[repl] previous request aborted because sandbox policy changed";
const POLICY = /\[repl\] new sandbox policy: \{"type":"disabled"[^\n]*\}/;

describe("a call with another policy", () => {
  it("gets a new worker, and is told so", async () => {
    const { executor, run, full } = replLab();
    await run("one");
    const text = await run("two", { context: full("sub") });
    expect(text.split("\n")).toEqual([CHANGED, expect.stringMatching(POLICY), "ran two", ""]);
    expect(executor.workers.map(({ inputs }) => inputs)).toEqual([["one"], ["two"]]);
    expect(executor.alive).toHaveLength(1);
    expect(await run("three", { context: full("sub") })).toBe("ran three\n");
  });

  it("ends what runs, shows what it printed, and says that it is over", async () => {
    const { executor, run, full } = replLab();
    await run("hang", { timeoutMs: 0 });
    const old = executor.last;
    old.print("begun\n");
    const text = await run("two", { context: full("sub") });
    expect(text.split("\n")).toEqual([
      ...["begun", CHANGED, ABORTED, expect.stringMatching(POLICY), "ran two", ""],
    ]);
    expect(text).not.toMatch(/discarded|exited/);
    old.print("ghost\n");
    expect(await run("", { context: full("sub") })).toBe("<<repl status: idle>>");
  });

  it("is told of the end of the one before it as well, if nobody was", async () => {
    const { executor, run, full } = replLab();
    await run("hang", { timeoutMs: 0 });
    executor.last.end("exit 7", 7);
    await expect.poll(() => executor.last.process.taken).toBeGreaterThan(4);
    const text = await run("two", { context: full("sub") });
    expect(text).toMatch(/^\[repl\] session ended \(exit 7\)\n\[repl\] sandbox policy changed/);
  });

  it("changes nothing where it only looks or interrupts", async () => {
    const { executor, run, full } = replLab();
    await run("hang", { timeoutMs: 0 });
    expect(await run("", { context: full("sub"), timeoutMs: 0 })).toMatch(/busy/);
    expect(await run(C, { context: full("sub") })).toMatch(/\[repl\] interrupted$/);
    expect(executor.requests).toHaveLength(1);
  });

  it("that nothing can be started under leaves the session as it was", async () => {
    const { executor, call, run, full } = replLab();
    await run("hang", { timeoutMs: 0 });
    const start = executor.start.bind(executor);
    executor.start = async () => {
      throw new ExecError("unenforceable", "there is no sandbox here");
    };
    expect(await call("two", { context: full("sub") })).toMatchObject({
      text: "Cannot run this call: there is no sandbox here",
      isError: true,
      facts: { status: "refused", refusal: "unenforceable" },
    });
    executor.start = start;
    executor.last.print("done\n");
    executor.last.ready();
    expect(await run("")).toBe("done\n");
  });
});

describe("a call without a good state", () => {
  it.each([
    ["none", NONE, "missing"],
    ["a malformed one", BAD, "malformed"],
  ])("(%s) starts nothing", async (_, context, refusal) => {
    const { executor, call } = replLab();
    for (const input of ["one", "", "\u0004", `${C}one`]) {
      const reply = await call(input, { context });
      expect(reply).toMatchObject({ isError: true, facts: { status: "refused", refusal } });
    }
    expect(executor.requests).toEqual([]);
  });

  it("runs nothing in a session that lives, and still looks and interrupts", async () => {
    const { executor, call, run } = replLab();
    await run("one");
    for (const context of [NONE, BAD]) {
      expect(await call("two", { context })).toMatchObject({ isError: true });
      expect(await run("", { context })).toBe("<<repl status: idle>>");
      expect(await run(C, { context })).toBe("<<repl status: idle>>");
    }
    expect(executor.last.inputs).toEqual(["one"]);
    expect(await run("two")).toBe("ran two\n");
  });

  it("reads what an ended session left, starts no other, and then is refused", async () => {
    for (const input of ["", C]) {
      const { executor, call, run } = replLab();
      await run("hang", { timeoutMs: 0 });
      executor.last.end("exit 0", 0);
      await expect.poll(() => executor.last.process.taken).toBeGreaterThan(4);
      expect(await run(input, { context: NONE })).toBe("[repl] session ended (exit 0)");
      expect(await call("", { context: NONE })).toMatchObject({ isError: true });
      expect(executor.requests).toHaveLength(1);
      expect(await run("two")).toBe("ran two\n");
    }
  });

  it("gets no new session where its own ended, and one with a state gets it under that", async () => {
    const { executor, run, full } = replLab();
    await run("hang", { timeoutMs: 0 });
    executor.last.process.exit(1);
    expect(await run("", { context: full("sub") })).toMatch(/exited with status 1/);
    expect(executor.requests.map(({ cwd }) => cwd.endsWith("/sub"))).toEqual([false, true]);
    expect(await run("two", { context: full("sub") })).toBe("ran two\n");
    expect(executor.requests).toHaveLength(2);
  });
});

describe("a session with a policy of its own", () => {
  it("runs under that, whatever calls bring or leave out", async () => {
    const state: SandboxState = {
      generation: "G3",
      profile: { type: "disabled" },
      cwd: uriOfNative("/"),
      codexLinuxSandboxExe: null,
      useLegacyLandlock: false,
    };
    const policy: WorkerPolicy = { kind: "explicit", state };
    const { executor, run, full } = replLab(filesOutput(), policy);
    for (const context of [NONE, BAD, full(), full("sub")]) {
      expect(await run("one", { context })).toBe("ran one\n");
    }
    expect(await run("\u0004two", { context: NONE })).toMatch(/ran two\n$/);
    expect(executor.requests.map(({ cwd }) => cwd)).toEqual(["file:///", "file:///"]);
  });
});

describe("closing a session", () => {
  it("ends the worker and the calls that wait for it, and refuses later ones", async () => {
    const { session, executor, call, run } = replLab();
    const first = run("hang");
    await expect.poll(() => executor.workers[0]?.inputs).toHaveLength(1);
    await session.close();
    expect(await first).toMatch(/worker/);
    expect(await call("two")).toMatchObject({ isError: true });
    expect([executor.alive, executor.requests.length]).toEqual([[], 1]);
  });
});
