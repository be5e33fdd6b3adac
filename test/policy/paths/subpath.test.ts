import { describe, expect, it } from "vitest";
import { isWithin, parseAbsolutePath } from "../../../src/policy/index.ts";
import { parseSubpath } from "../../../src/policy/paths/subpath.ts";
import { expectRefusal } from "../support/refusal.ts";

describe("parseSubpath", () => {
  it.each([
    ["", undefined],
    [".", undefined],
    ["./", undefined],
    ["a", "a"],
    ["./a//b/./c/", "a/b/c"],
    [".git", ".git"],
    ["...", "..."],
    ["a..b", "a..b"],
    ["ab:c", "ab:c"],
  ])("reads %j", (text, subpath) => {
    expect(parseSubpath(text)).toBe(subpath);
  });

  it.each(["/", "/etc", "\\etc", "C:", "c:/x", "C:x", "//a"])("refuses the absolute %j", (text) => {
    expectRefusal(() => parseSubpath(text), "invalidPath", "absolute");
  });

  it.each(["..", "../a", "a/..", "a/../b", "./.."])(
    "refuses %j, which may leave the root",
    (text) => {
      expectRefusal(() => parseSubpath(text), "invalidPath", JSON.stringify(text));
    },
  );

  it.each(["a\\..\\b", "a\\b", "a\0", "a/\udfff"])("refuses the bytes of %j", (text) => {
    expectRefusal(() => parseSubpath(text), "invalidPath", JSON.stringify(text));
  });
});

describe("parseAbsolutePath", () => {
  it.each([
    ["/", "/"],
    ["//a//", "/a"],
    ["/a/./b/../c", "/a/c"],
    ["/../..", "/"],
    ["/a\\b", "/a\\b"],
  ])("folds %s", (text, path) => {
    expect(parseAbsolutePath(text)).toBe(path);
  });

  it.each(["", "a", "~/a", "C:\\a", "/a\0", "/\ud800"])("refuses %j", (text) => {
    expectRefusal(() => parseAbsolutePath(text), "invalidPath", "Cannot use path");
  });
});

describe("isWithin", () => {
  it.each([
    ["/a", "/", true],
    ["/", "/", true],
    ["/a", "/a", true],
    ["/a/b", "/a", true],
    ["/ab", "/a", false],
    ["/a", "/a/b", false],
    ["/", "/a", false],
  ])("%s within %s: %s", (path, ancestor, within) => {
    expect(isWithin(parseAbsolutePath(path), parseAbsolutePath(ancestor))).toBe(within);
  });
});
