import { describe, expect, it } from "vitest";
import { type AbsolutePath, globCursor, parseAbsolutePath } from "../../../../src/policy/index.ts";
import { parentOf } from "../../../../src/sandbox/files/parent-of.ts";
import { foldersToPin } from "../../../../src/sandbox/linux/mounts/folders-to-pin.ts";

/** What is pinned above a match in the writable folder /w, under patterns below it. */
function pins(match: string, ...patterns: string[]): string[] {
  const path = parseAbsolutePath(`/w/${match}`);
  const loose: AbsolutePath[] = [];
  for (let at = parentOf(path); at !== "/w"; at = parentOf(at)) loose.push(at);
  const globs = patterns.map((pattern) => ({ pattern: `/w/${pattern}`, rule: pattern }));
  return foldersToPin(path, loose, globCursor(globs)).map((one) => one.slice("/w/".length));
}

describe("foldersToPin", () => {
  it.each<[string, string, string[]]>([
    ["**/*.env", "a/b/x.env", []],
    ["conf/*.key", "conf/x.key", ["conf"]],
    ["*/conf/*.key", "a/conf/x.key", ["a", "a/conf"]],
    ["**/conf/*.key", "a/conf/x.key", ["a/conf"]],
    ["src/**/*.env", "src/a/b/x.env", ["src"]],
    ["src/**/conf/*.key", "src/a/conf/x.key", ["src", "src/a/conf"]],
    ["**/a/**/*.env", "b/a/c/x.env", ["b/a"]],
    ["**/conf/**", "a/conf/x", ["a/conf"]],
    ["[ab]/*.key", "a/x.key", ["a"]],
    ["**/[!q]*/x.key", "a/b/x.key", ["a/b"]],
  ])("%s keeps of %s in place: %s", (pattern, match, expected) => {
    expect(pins(match, pattern)).toEqual(expected);
  });

  it("pins nothing where any of the patterns reaches the new place", () => {
    expect(pins("conf/x.key", "conf/*.key", "**/*.key")).toEqual([]);
  });

  it("pins every folder above what a pattern reaches by a link alone", () => {
    expect(pins("a/b/target", "links/*")).toEqual(["a", "a/b"]);
  });

  it("asks of each folder where the one pinned above it lets it go", () => {
    expect(pins("src/a/b/x.env", "src/**/*.env", "src/a/**/x.env")).toEqual(["src"]);
    expect(pins("src/a/b/x.env", "src/a/**/x.env")).toEqual(["src", "src/a"]);
  });
});
