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
});
