/** Whatever a command moves besides what is pinned, a match stays where one of its patterns reaches it. */
import fc from "fast-check";
import { expect, it } from "vitest";
import {
  type GlobCursor,
  type GlobRule,
  globCursor,
  parseAbsolutePath,
} from "../../../../src/policy/index.ts";
import { parentOf } from "../../../../src/sandbox/files/parent-of.ts";
import { foldersToPin } from "../../../../src/sandbox/linux/mounts/folders-to-pin.ts";
import type { WayFolder } from "../../../../src/sandbox/linux/mounts/way-to.ts";
import { campaign } from "../../../support/campaign.ts";

const NAMES = ["a", "b", "ab", "k"];
const SEGMENTS = [...NAMES, "*", "a*", "?", "[ab]", "[!a]", "{a,b}", "**", "**"];

const names = fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 5 });
const pattern = fc
  .array(fc.constantFrom(...SEGMENTS), { minLength: 1, maxLength: 5 })
  .map((segments) => `/w/${segments.join("/")}`);
/** For each folder on the way: how often it and those above it go elsewhere, and under which names. */
const moves = fc.array(
  fc.option(fc.array(fc.constantFrom(...NAMES, "q", "x.y"), { minLength: 1, maxLength: 3 })),
  { minLength: 6, maxLength: 6 },
);

function denier(globs: readonly GlobRule[], path: readonly string[]): GlobRule | undefined {
  let cursor: GlobCursor | undefined = globCursor(globs);
  for (const name of ["w", ...path]) {
    cursor = cursor?.enter(name);
    if (cursor?.rule !== undefined) return cursor.rule;
  }
  return undefined;
}

/** What a command makes of the way: a folder that is not pinned goes anywhere in the mount that it lies in. */
function moved(path: readonly string[], pinned: ReadonlySet<number>, by: (string[] | null)[]) {
  let mount: string[] = [];
  let below: string[] = [];
  for (const [index, name] of path.entries()) {
    const isFolder = index < path.length - 1;
    const names = isFolder && !pinned.has(index) ? by[index] : undefined;
    below = names ? [...names] : [...below, name];
    if (!pinned.has(index)) continue;
    mount = [...mount, ...below];
    below = [];
  }
  return [...mount, ...below];
}

function pinsOf(path: readonly string[], globs: readonly GlobRule[]): ReadonlySet<number> {
  const match = parseAbsolutePath(`/w/${path.join("/")}`);
  const way: WayFolder[] = [];
  for (let at = parentOf(match); at !== "/w"; at = parentOf(at)) {
    way.push({ path: at, isPinned: false });
  }
  const pins = foldersToPin(match, way, globCursor(globs).enter("w"));
  return new Set(pins.map((one) => one.split("/").length - 3));
}

it("a match is denied wherever its folders can be moved", () => {
  fc.assert(
    fc.property(
      names,
      fc.array(pattern, { minLength: 1, maxLength: 3 }),
      moves,
      (path, patterns, by) => {
        const globs = patterns.map((one) => ({ pattern: one, rule: one }));
        const isMatch =
          denier(globs, path) !== undefined && denier(globs, path.slice(0, -1)) === undefined;
        fc.pre(isMatch);
        const there = moved(path, pinsOf(path, globs), by);
        expect([there, denier(globs, there)]).toEqual([there, expect.anything()]);
      },
    ),
    campaign(20_000),
  );
});

it("without pins some are carried out of reach", () => {
  const globs = [{ pattern: "/w/a/*", rule: "" }];
  expect(denier(globs, moved(["a", "k"], new Set(), [["q"], null]))).toBeUndefined();
  expect(denier(globs, moved(["a", "k"], pinsOf(["a", "k"], globs), [["q"], null]))).toBeDefined();
});
