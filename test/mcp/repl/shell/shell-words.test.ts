import { describe, expect, it } from "vitest";
import { feedWords } from "../../../../src/mcp/repl/shell/shell-words.ts";

describe("the words that feed a cell", () => {
  it("are not cut inside a character", () => {
    const start = "a".repeat(1023);
    expect(feedWords(`${start}😀b`, false)).toBe(`f${start}\nb😀b\n`);
  });
});
