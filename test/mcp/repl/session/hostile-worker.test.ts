import { describe, expect, it } from "vitest";
import { ExecError } from "../../../../src/exec/index.ts";
import { replLab } from "./support/repl-lab.ts";

describe("a worker that says what it should not", () => {
  it("gets no input after its last word, and the call gets another worker", async () => {
    const { executor, run } = replLab();
    await run("one");
    const old = executor.last;
    const taken = old.process.taken;
    old.say({ type: "session_end", message: "bye" });
    await expect.poll(() => old.process.taken).toBeGreaterThan(taken);
    expect(await run("two")).toBe("[repl] session ended (bye)\nran two\n");
    expect([old.inputs, executor.last.inputs]).toEqual([["one"], ["two"]]);
  });

  it("cannot make a reply long by its prompt or its last word", async () => {
    const { executor, call } = replLab();
    await call("hang", { timeoutMs: 0 });
    executor.last.say({ type: "input_wait", prompt: "p".repeat(1 << 20) });
    const asked = await call("", { timeoutMs: 1000 });
    expect(asked.facts).toEqual({
      ...{ status: "waiting", prompt: "p".repeat(1 << 14) },
      sandbox: expect.anything(),
    });
    await call("hang", { timeoutMs: 0 });
    executor.last.end("e".repeat(1 << 20), 0);
    const ended = await call("", { timeoutMs: 1000 });
    expect(ended.text).toBe(`[repl] session ended (${"e".repeat(1000)})`);
    expect(ended.facts.end).toHaveLength(1000);
  });

  it("leaves nothing that it began to print for the one after it", async () => {
    const { executor, run, full } = replLab();
    await run("hang", { timeoutMs: 0 });
    const taken = executor.last.process.taken;
    executor.last.print("\u001b]of the old");
    await expect.poll(() => executor.last.process.taken).toBeGreaterThan(taken);
    const text = await run("two", { context: full("sub") });
    expect(text).toMatch(/^of the old\n\[repl\] sandbox policy changed/);
  });

  it("is signalled also where it reads nothing any more", async () => {
    const { executor, run } = replLab();
    await run("hang", { timeoutMs: 0 });
    const { process } = executor.last;
    process.onWrite = async () => {
      throw new ExecError("invalidRequest", "it has left 16777216 bytes unread");
    };
    expect(await run("\u0003", { timeoutMs: 0 })).toMatch(/busy/);
    expect(process.done).toEqual(["interrupt of the command"]);
  });
});
