import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toolName } from "../../../src/agent/mcp/tool-name.ts";

describe("toolName", () => {
  it("is what Codex calls a tool", () => {
    expect(toolName("files", "read_file")).toBe("mcp__files__read_file");
  });

  it.each([
    ["a__b", "c"],
    ["a", "read.file"],
    ["a_", "b"],
    ["_a", "b"],
    ["a", "x".repeat(70)],
  ])("holds a digest for %s and %s", (server, tool) => {
    expect(toolName(server, tool)).toMatch(/__[\da-f]{12}$/);
  });

  it.each([
    ["a", "x!", "a", (name: string) => name.slice("mcp__a__".length)],
    ["a__b", "c", "a", (name: string) => name.slice("mcp__a__".length)],
  ])("of %s and %s cannot be had by a tool of %s", (server, tool, thief, copyOf) => {
    const name = toolName(server, tool);
    expect(name).not.toBe(toolName(thief, copyOf(name)));
  });

  it("is one that providers take, and never that of another tool", () => {
    const server = fc.stringMatching(/^[a_]{1,6}$/);
    const tool = fc.oneof(fc.stringMatching(/^[a_]{1,6}$/), fc.string({ minLength: 1 }));
    fc.assert(
      fc.property(fc.tuple(server, tool), fc.tuple(server, tool), (one, other) => {
        const names = [toolName(...one), toolName(...other)];
        for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
        const same = one[0] === other[0] && one[1] === other[1];
        expect(names[0] === names[1]).toBe(same);
      }),
      { numRuns: 2000 },
    );
  });
});
