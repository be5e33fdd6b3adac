import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type GlobCursor, globCursor } from "../../../../src/policy/index.ts";
import { type GlobState, startState } from "../../../../src/sandbox/files/globs/glob-state.ts";
import { campaign } from "../../../support/campaign.ts";

const part = fc.constantFrom(
  ...["**", "*", "*.env", "a*", "a*b", "?b", "[ab]*", "[!a]b", "a", "ab", "*b*", "a?b*"],
  ...["{a,*b}", "x{a,b}y", "\\*", "*\\*", "é*🙂", "?", ".a.*", "*.{env,b}", "🙂"],
);
const pattern = fc
  .array(part, { minLength: 1, maxLength: 4 })
  .map((parts) => ({ pattern: `/${parts.join("/")}`, rule: `"${parts.join("/")}"` }));
const name = fc.oneof(
  fc.constantFrom(
    "a",
    "b",
    "ab",
    "ba",
    "aab",
    ".env",
    "x.env",
    "xay",
    "*",
    "é🙂",
    ".a.",
    "c",
    "🙂",
  ),
  fc.string({ minLength: 1, maxLength: 3 }),
);

/** Walks state and cursor side by side; the key of each cursor with the state that stood for it. */
function walkBoth(from: GlobState, origin: GlobCursor, names: readonly string[]) {
  let state: GlobState | undefined = from;
  let cursor: GlobCursor | undefined = origin;
  return names.map((next) => {
    state = state?.next(next);
    cursor = cursor?.enter(next);
    expect(state?.rule).toBe(cursor?.rule);
    expect(state?.names).toEqual(cursor?.names);
    return [cursor?.key, state?.id] as const;
  });
}

describe("GlobState", () => {
  it("goes where the patterns themselves go, whatever names came before", () => {
    const globs = fc.array(pattern, { minLength: 1, maxLength: 3 });
    const paths = fc.array(fc.array(name, { maxLength: 4 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(globs, paths, (rules, all) => {
        const [start, origin] = [startState(rules), globCursor(rules)];
        const pairs = all.flatMap((names) => walkBoth(start, origin, names));
        // One state for one key, and back: what is denied further down is then the same too.
        const distinct = new Set(pairs.map((pair) => pair.join(" ")));
        expect(distinct.size).toBe(new Set(pairs.map(([key]) => key)).size);
        expect(distinct.size).toBe(new Set(pairs.map(([, id]) => id)).size);
      }),
      campaign(3000),
    );
  });

  it("remembers a bounded number of names and stays right", () => {
    const start = startState([{ pattern: "/*-x", rule: "r" }]);
    for (let index = 0; index < 10_000; index += 1) {
      expect(start.next(`${index}-x`)?.rule?.rule).toBe("r");
    }
    expect(start.next("y")).toBeUndefined();
  });
});
