import fs, {
  chmodSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { WALK_BOUNDS } from "../../../../src/sandbox/files/globs/glob-budget.ts";
import {
  GlobCache,
  type GlobCacheOptions,
} from "../../../../src/sandbox/files/globs/glob-cache.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { countReads, EXT4, NFS, pretendType, SETTLE_MS, settle } from "../support/glob-reads.ts";

const FILES = { "a/b/one.env": "", "a/c/two": "", "d/three": "" };

/** A settled tree of five folders, all of them looked at once. */
async function remembered(options: GlobCacheOptions = { settleMs: SETTLE_MS }) {
  const folder = temporaryFolder(FILES);
  const globs = [{ pattern: `${folder}/**/*.env`, rule: "r" }];
  await settle();
  const cache = new GlobCache(options);
  const expand = (bounds = WALK_BOUNDS) =>
    cache.expand(globs, bounds).map((match) => path.relative(folder, match.path));
  const first = expand();
  const at = (name: string) => path.join(folder, name);
  return { folder, at, cache, globs, expand, first, reads: countReads() };
}

describe("GlobCache", () => {
  beforeEach(() => pretendType(EXT4));

  it("reads nothing when nothing changed", async () => {
    const { expand, first, reads } = await remembered();
    expect(first).toEqual(["a/b/one.env"]);
    expect(expand()).toEqual(first);
    expect(reads.take()).toBe(0);
  });

  it.each<[string, number, string[], (at: (name: string) => string) => void]>([
    ["a new file", 1, ["a/b/one.env", "a/c/x.env"], (at) => writeFileSync(at("a/c/x.env"), "")],
    ["a removed file", 1, [], (at) => unlinkSync(at("a/b/one.env"))],
    ["a renamed folder", 2, ["a/z/one.env"], (at) => renameSync(at("a/b"), at("a/z"))],
    ["a moved subtree", 5, ["d/a/b/one.env"], (at) => renameSync(at("a"), at("d/a"))],
    ["changed rights", 1, ["a/b/one.env"], (at) => chmodSync(at("a/c"), 0o700)],
  ])("after %s reads only what it touched: %d folders", async (_, count, expected, change) => {
    const { at, expand, reads } = await remembered();
    change(at);
    expect(expand()).toEqual(expected);
    expect(reads.take()).toBe(count);
  });

  it("sees a link that leads elsewhere though no folder on the walk changed", async () => {
    const files = { "v1/one.env": "", "v2/two.env": "", "deep/ws/x": "" };
    const outside = temporaryFolder(files);
    const walked = temporaryFolder();
    symlinkSync("v1", path.join(outside, "now"));
    symlinkSync(path.join(outside, "now"), path.join(walked, "dir"));
    symlinkSync(path.join(outside, "late"), path.join(walked, "late"));
    await settle();
    const cache = new GlobCache({ settleMs: SETTLE_MS });
    const expand = () =>
      cache
        .expand([{ pattern: `${walked}/**/*.env`, rule: "r" }], WALK_BOUNDS)
        .map((match) => path.relative(outside, match.path));
    expect(expand()).toEqual(["v1/one.env"]);
    unlinkSync(path.join(outside, "now"));
    symlinkSync("v2", path.join(outside, "now"));
    expect(expand()).toEqual(["v2/two.env"]);
    mkdirSync(path.join(outside, "late"));
    writeFileSync(path.join(outside, "late/three.env"), "");
    expect(expand()).toEqual(["late/three.env", "v2/two.env"]);
  });

  it("does not believe a change time that is younger than the clock's grain", async () => {
    const real = fs.lstatSync;
    const second = 1_000_000_000n;
    const spy = vi.spyOn(fs, "lstatSync").mockImplementation(((...args: [string]) => {
      const stats = real(...args) as unknown as fs.BigIntStats;
      if (typeof stats.ctimeNs === "bigint") stats.ctimeNs = (stats.ctimeNs / second) * second;
      return stats;
    }) as never);
    onTestFinished(() => spy.mockRestore());
    const { at, expand } = await remembered({ settleMs: 3000 });
    writeFileSync(at("a/c/x.env"), "");
    expect(expand()).toEqual(["a/b/one.env", "a/c/x.env"]);
  });

  it("reads all again where a file system may change behind the kernel's back", async () => {
    pretendType(NFS);
    const { expand, reads } = await remembered();
    expand();
    expect(reads.take()).toBe(5);
  });

  it("forgets everything when the clock was set back", async () => {
    const { expand, reads } = await remembered();
    const now = Date.now;
    const spy = vi.spyOn(Date, "now").mockImplementation(() => now() - 1500);
    onTestFinished(() => spy.mockRestore());
    expand();
    expect(reads.take()).toBe(5);
  });

  it("keeps to the bounds with what it remembers", async () => {
    const { at, expand } = await remembered();
    expect(() => expand({ ...WALK_BOUNDS, entries: 3 })).toThrow("more than 3 names");
    expect(() => expand({ ...WALK_BOUNDS, matches: 0 })).toThrow("more than 0 paths");
    expect(expand()).toEqual(["a/b/one.env"]);
    rmSync(at("a"), { recursive: true });
    expect(expand({ ...WALK_BOUNDS, matches: 0 })).toEqual([]);
  });

  it("remembers a bounded number of places, the last used ones", async () => {
    const { cache, globs, folder, reads } = await remembered({
      settleMs: SETTLE_MS,
      places: 9,
    });
    const other = [{ pattern: `${folder}/a/*/two`, rule: "r" }];
    const again = (wanted: typeof globs) => {
      cache.expand(wanted, WALK_BOUNDS);
      return reads.take();
    };
    expect([again(globs), again(other), again(other)]).toEqual([0, 1, 0]);
    const third = [{ pattern: `${folder}/{a,d}/**/x`, rule: "r" }];
    expect([again(third), again(other), again(globs)]).toEqual([4, 0, 5]);
  });

  it("shares what was read aside", async () => {
    const { cache, globs, reads } = await remembered();
    const fresh = new GlobCache({ settleMs: SETTLE_MS });
    const aside = await fresh.expandAside(globs, WALK_BOUNDS);
    expect(reads.take()).toBe(5);
    expect(fresh.expand(globs, WALK_BOUNDS)).toEqual(aside);
    expect(await cache.expandAside(globs, WALK_BOUNDS)).toEqual(aside);
    expect(reads.take()).toBe(0);
  });

  it.each<[string, (at: (name: string) => string) => void]>([
    ["a match that was made", (at) => writeFileSync(at("a/c/x.env"), "")],
    ["a match that was moved", (at) => renameSync(at("a/b"), at("d/b"))],
    ["a match that is gone", (at) => unlinkSync(at("a/b/one.env"))],
    ["a match behind a link", (at) => symlinkSync("three", at("d/l.env"))],
  ])("does not find again what it found after %s", async (_, change) => {
    const { at, cache, globs } = await remembered();
    const found = { globs, matches: cache.expand(globs, WALK_BOUNDS) };
    expect(await cache.findsAgain(found, WALK_BOUNDS)).toBe(true);
    change(at);
    expect(await cache.findsAgain(found, WALK_BOUNDS)).toBe(false);
  });

  it("does not find again what is moved, while it looks, to where it has been", async () => {
    const { at, cache, globs } = await remembered();
    const hidden = path.join(temporaryFolder(), "b");
    renameSync(at("a/b"), hidden);
    const found = { globs, matches: cache.expand(globs, WALK_BOUNDS) };
    // It was in none of the folders when each of them was asked.
    const moves = [() => renameSync(hidden, at("d/b"))];
    const spy = vi.spyOn(fs, "readdir").mockImplementation(((...args: unknown[]) => {
      const [folder, options, done] = args as [string, object, (...told: unknown[]) => void];
      const read = fs.readdirSync(folder, options);
      if (folder === at("d")) moves.shift()?.();
      setImmediate(done, null, read);
    }) as never);
    onTestFinished(() => spy.mockRestore());
    writeFileSync(at("d/new"), "");
    expect(found.matches).toEqual([]);
    expect(await cache.findsAgain(found, WALK_BOUNDS)).toBe(false);
    expect(moves).toEqual([]);
  });

  it("finds again where folders change all the time and what it looks for does not", async () => {
    const { at, cache, globs } = await remembered();
    const found = { globs, matches: cache.expand(globs, WALK_BOUNDS) };
    let changes = 0;
    const real = fs.lstatSync;
    const spy = vi.spyOn(fs, "lstatSync").mockImplementation(((...args: [string]) => {
      if (args[0] === at("d")) writeFileSync(at(`d/new-${changes++}`), "");
      return real(...args);
    }) as never);
    onTestFinished(() => spy.mockRestore());
    expect(await cache.findsAgain(found, WALK_BOUNDS)).toBe(true);
    expect(changes).toBe(8);
  });
});
