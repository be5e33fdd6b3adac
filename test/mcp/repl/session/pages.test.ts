import { describe, expect, it } from "vitest";
import { BAD, NONE, pagedOutput, replLab } from "./support/repl-lab.ts";

const LONG = "x".repeat(300);

describe("pages that were not shown", () => {
  it.each([
    ["code", "two"],
    ["an interrupt with code", "\u0003two"],
    ["a restart", "\u0004"],
    ["a restart with code", "\u0004two"],
  ])("are still there after %s that was refused", async (_, input) => {
    const { call, run } = replLab(pagedOutput());
    await run(LONG);
    for (const context of [NONE, BAD]) {
      expect(await call(input, { context })).toMatchObject({ isError: true });
      expect(await run("", { context: NONE })).toMatch(/^x+\n--More--/);
    }
    expect(await run("two")).toBe("ran two\n");
    expect(await run(":q")).toBe("ran :q\n");
  });

  it("are still there after an interrupt that found nothing to stop", async () => {
    const { run } = replLab(pagedOutput());
    await run(LONG);
    expect(await run("\u0003", { context: NONE })).toMatch(/^<<repl status: idle>>\n--More--/);
    expect(await run("")).toMatch(/^x+\n--More--/);
  });

  it("are still there after an interrupt that stopped what printed them", async () => {
    const { run } = replLab(pagedOutput());
    expect(await run(`hang ${LONG}`, { timeoutMs: 20 })).toMatch(/^x+\n--More--/);
    const text = await run("\u0003");
    expect(text).toMatch(/^stderr: KeyboardInterrupt\n\[repl\] interrupted\n--More--/);
    expect(await run(":a")).toMatch(/^x{220}\n\(END, /);
  });

  it("are left, and that is told, where an interrupt finds more pages", async () => {
    const { executor, run } = replLab(pagedOutput());
    await run(`hang ${LONG}`, { timeoutMs: 20 });
    executor.last.print("y".repeat(300));
    const text = await run("\u0003");
    expect(text).toMatch(/^\(END, 26\.7%.*\ny{80}\n--More--.*\n\[repl\] interrupted$/);
  });

  it("are not in the reply to an interrupt with code", async () => {
    const { run } = replLab(pagedOutput());
    await run(`hang ${LONG}`, { timeoutMs: 20 });
    const text = await run("\u0003two");
    expect(text).toBe("stderr: KeyboardInterrupt\n[repl] interrupted\nran two\n");
    expect(await run(":q")).toBe("ran :q\n");
  });
});
