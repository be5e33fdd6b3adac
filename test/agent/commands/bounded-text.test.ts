import { describe, expect, it } from "vitest";
import { BoundedText } from "../../../src/agent/commands/bounded-text.ts";

function kept(most: number, parts: readonly string[]): string {
  const text = new BoundedText(most);
  for (const part of parts) text.add(part);
  return text.render();
}

describe("a bounded text", () => {
  it.each([
    ["all of what fits", 10, ["abc", "defg", "hij"], "abcdefghij"],
    ["beginning and end of what does not", 4, ["abcdef"], "ab\n[2 of 6 characters left out]\nef"],
    ["the same for many parts", 4, [..."abcdef"], "ab\n[2 of 6 characters left out]\nef"],
    ["nothing", 4, [], ""],
  ])("keeps %s", (_, most, parts, expected) => {
    expect(kept(most, parts)).toBe(expected);
  });

  it("is bounded, however it came", () => {
    const text = kept(
      1000,
      Array.from({ length: 10_000 }, (_, n) => `${n} `),
    );
    expect(text.length).toBeLessThan(1100);
    expect(text.startsWith("0 1 2 ")).toBe(true);
    expect(text.endsWith("9998 9999 ")).toBe(true);
  });

  it.each([
    ["of less than is kept", ["abcdefgh"], "ab\n[4 of 8 characters left out]\ngh"],
    ["of a little more", ["abcdefghi"], "ab\n[5 of 9 characters left out]\nhi"],
    ["of far more", Array(100).fill("abcdefgh"), "ab\n[796 of 800 characters left out]\ngh"],
    ["not at all of what fits", ["ab", "cd"], "abcd"],
  ])(
    "shows less than it keeps where it is asked to, and counts what is not shown %s",
    (_, parts, expected) => {
      const text = new BoundedText(8);
      for (const part of parts) text.add(part);
      expect(text.render(4)).toBe(expected);
    },
  );

  it("cuts no character in two", () => {
    expect(kept(4, ["a😀😀😀b"]).isWellFormed()).toBe(true);
  });
});
