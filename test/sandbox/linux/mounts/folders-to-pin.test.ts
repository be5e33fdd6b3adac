import { describe, expect, it } from "vitest";
import { globCursor, parseAbsolutePath } from "../../../../src/policy/index.ts";
import { parentOf } from "../../../../src/sandbox/files/parent-of.ts";
import { foldersToPin } from "../../../../src/sandbox/linux/mounts/folders-to-pin.ts";
import type { WayFolder } from "../../../../src/sandbox/linux/mounts/way-to.ts";

/** What is pinned above a match in the writable folder /w, under patterns below it. */
function pins(match: string, ...patterns: string[]): string[] {
  return morePins([], match, ...patterns);
}

/** The same where some folders are pinned already. */
function morePins(pinned: readonly string[], match: string, ...patterns: string[]): string[] {
  const path = parseAbsolutePath(`/w/${match}`);
  const way: WayFolder[] = [];
  for (let at = parentOf(path); at !== "/w"; at = parentOf(at)) {
    way.push({ path: at, isPinned: pinned.includes(at.slice("/w/".length)) });
  }
  const globs = patterns.map((pattern) => ({ pattern: `/w/${pattern}`, rule: pattern }));
  const atMount = globCursor(globs).enter("w");
  return foldersToPin(path, way, atMount).map((one) => one.slice("/w/".length));
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

  it("does not trust the name of a folder that may move, below one that may not", () => {
    expect(pins("a/b/c/m", "a/**/m", "**/b/c/m")).toEqual(["a/b", "a/b/c"]);
    expect(morePins(["a/b"], "a/b/c/m", "a/**/m", "**/b/c/m")).toEqual(["a/b/c"]);
    expect(morePins(["a", "a/b"], "a/b/c/m", "a/**/m", "**/b/c/m")).toEqual([]);
  });
});
