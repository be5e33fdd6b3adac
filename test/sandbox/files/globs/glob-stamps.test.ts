import type { BigIntStats } from "node:fs";
import { describe, expect, it } from "vitest";
import { GlobStamps, isUnchanged } from "../../../../src/sandbox/files/globs/glob-stamps.ts";
import { EXT4, NFS, pretendType } from "../support/glob-reads.ts";

const OVERLAY = 0x794c7630;
const nsAgo = (ms: number) => BigInt(Date.now() - ms) * 1_000_000n;
const folderOf = (facts: Partial<BigIntStats> = {}) =>
  ({ dev: 1n, ino: 2n, ctimeNs: nsAgo(10_000), size: 4096n, ...facts }) as BigIntStats;

describe("GlobStamps", () => {
  it("stamps a folder that was left alone for long enough, and no other", () => {
    pretendType(EXT4);
    const stamps = new GlobStamps(3000);
    expect(stamps.stampOf(folderOf(), "/")).toMatchObject({ dev: 1n, ino: 2n });
    for (const ms of [2900, 0, -60_000]) {
      expect(stamps.stampOf(folderOf({ ctimeNs: nsAgo(ms) }), "/")).toBeUndefined();
    }
  });

  it.each([
    ["a network file system", NFS],
    ["an overlay", OVERLAY],
    ["a type it does not know", 1],
  ])("stamps nothing on %s, and takes no folder there for small", (_, type) => {
    pretendType(type);
    const stamps = new GlobStamps(3000);
    expect(stamps.stampOf(folderOf(), "/")).toBeUndefined();
    expect(stamps.isSmall(folderOf(), "/")).toBe(false);
  });

  it("takes a folder for small by its size", () => {
    pretendType(EXT4);
    const stamps = new GlobStamps(3000);
    expect(stamps.isSmall(folderOf({ size: 262_144n }), "/")).toBe(true);
    expect(stamps.isSmall(folderOf({ size: 262_145n }), "/")).toBe(false);
  });
});

describe("isUnchanged", () => {
  const folder = folderOf();

  it("asks which folder it is and when it changed", () => {
    expect(isUnchanged(folder, { ...folder } as BigIntStats)).toBe(true);
    for (const other of [{ dev: 9n }, { ino: 9n }, { ctimeNs: folder.ctimeNs + 1n }]) {
      expect(isUnchanged(folder, { ...folder, ...other } as BigIntStats)).toBe(false);
    }
    expect(isUnchanged(undefined, folder)).toBe(false);
  });
});
