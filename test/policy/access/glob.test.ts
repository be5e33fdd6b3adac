import { describe, expect, it } from "vitest";
import { accessTo, parseAbsolutePath as at, parseGlob } from "../../../src/policy/index.ts";
import { boundWith } from "../support/profiles.ts";
import { expectRefusal } from "../support/refusal.ts";

function isDenied(pattern: string, path: string): boolean {
  return (
    accessTo(
      boundWith([
        [":root", "read"],
        [`glob:${pattern}`, "deny"],
      ]),
      at(path),
    ) === "deny"
  );
}

describe("a deny pattern", () => {
  it.each([
    ["/a/*", "/a/x"],
    ["/a/*", "/a/.hidden"],
    ["/a/*", "/a/x/y"],
    ["/a/**", "/a/x/y/z"],
    ["/**/x", "/x"],
    ["/a/**/x", "/a/x"],
    ["/a/**/**/x", "/a/b/x"],
    ["/a/**/b/**/c", "/a/1/b/2/3/c"],
    ["/**", "/anything"],
    ["/a/?.md", "/a/é.md"],
    ["/a/?", "/a/😀"],
    ["/a/[a-c]", "/a/b"],
    ["/a/[!a-c]", "/a/d"],
    ["/a/[^a-c]", "/a/d"],
    ["/a/[]x]", "/a/]"],
    ["/a/[a-]", "/a/-"],
    ["/a/[!]", "/a/[!]"],
    ["/a/b[", "/a/b["],
    ["/a/\\*", "/a/*"],
    ["/a/\\[x]", "/a/[x]"],
    ["/a/\\[x\\]", "/a/[x]"],
    ["/a/\\{x,y\\}", "/a/{x,y}"],
    ["/a/{x,y}/z", "/a/y/z"],
    ["/a/{x,{y,z}w}", "/a/zw"],
    ["/a/x{,.bak}", "/a/x"],
    ["/a/{b/c,d}", "/a/b/c"],
    ["/a/*a*b*c", "/a/xaxbxc"],
    ["/a//./b", "/a/b"],
    ["/a/b", "/a/b/c"],
  ])("%s hides %s", (pattern, path) => {
    expect(isDenied(pattern, path)).toBe(true);
  });

  it.each([
    ["/a/*", "/a"],
    ["/a/**", "/a"],
    ["/a/*.env", "/a/x/y.env"],
    ["/a/?", "/a/xy"],
    ["/a/[a-c]", "/a/d"],
    ["/a/[!a-c]", "/a/b"],
    ["/a/\\*", "/a/x"],
    ["/a/x{1,2}", "/a/x"],
    ["/a/**/x", "/a/b/xy"],
    ["/a/b", "/a/bc"],
    ["/a/B", "/a/b"],
    ["/a/*a*b", "/a/xbxa"],
  ])("%s leaves %s", (pattern, path) => {
    expect(isDenied(pattern, path)).toBe(false);
  });

  it("answers many stars without backtracking over them all", () => {
    expect(isDenied(`/a/${"*x".repeat(60)}`, `/a/${"x".repeat(200)}y`)).toBe(false);
    expect(isDenied(`/${"**/x/".repeat(30)}z`, `/${"x/".repeat(200)}y`)).toBe(false);
  });
});

describe("parseGlob", () => {
  it.each([
    ["nothing", ""],
    ["only a slash", "/"],
    ["only dots", "./."],
    ["a way up", "/a/../b"],
    ["two stars within a name", "/a/x**"],
    ["two stars before a name", "/a/**x"],
    ["an unclosed brace", "/a/{b,c"],
    ["a brace never opened", "/a/b}"],
    ["a brace with one branch", "/a/{b}"],
    ["a backslash in a class", "/a/[\\]]"],
    ["more than 4096 characters", `/${"a".repeat(4096)}`],
    ["more than 256 alternatives", `/${"{a,b}".repeat(9)}`],
    ["braces that would take all memory", "{a,b}".repeat(800)],
    ["a way up in one branch", "/a/{b,..}/c"],
  ])("refuses %s", (_, pattern) => {
    expectRefusal(() => parseGlob(pattern), "invalidPath", "Cannot use pattern");
  });

  it("takes 4096 characters and 256 alternatives", () => {
    expect(parseGlob("a".repeat(4096))).toHaveLength(1);
    expect(parseGlob("{a,b}".repeat(8))).toHaveLength(256);
  });

  it("tells names, patterns and spans apart", () => {
    expect(parseGlob("/a/**/*.b")).toEqual([
      [
        { kind: "literal", name: "a" },
        { kind: "globstar" },
        expect.objectContaining({ kind: "pattern" }),
      ],
    ]);
  });

  it.each([
    ["a range that runs backwards", "/a/[z-a]"],
    ["a slash in a class", "/a/[b/c].env"],
    ["braces in a class", "/a/[{,}]x"],
    ["a group in a class", "/a/[{b,c}]x"],
  ])("refuses %s, which would deny less than it seems to", (_, pattern) => {
    expectRefusal(() => parseGlob(pattern), "invalidPath", "Cannot use pattern");
  });
});
