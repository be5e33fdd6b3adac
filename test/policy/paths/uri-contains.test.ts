import { describe, expect, it } from "vitest";
import { joinUri, parentUri, parsePathUri, uriContains } from "../../../src/policy/index.ts";
import { expectRefusal } from "../support/refusal.ts";

const uri = parsePathUri;
const OPAQUE = "file:///%00/bad/path/L0M6L3g";

describe("uriContains", () => {
  it.each([
    ["file:///", "file:///a/b"],
    ["file:///a", "file:///a"],
    ["file:///a", "file:///a/b"],
    ["file:///x%20y", "file:///x y/z".replace(" ", "%20")],
    ["file:///C:", "file:///c:/Users"],
    ["file:///C:/Users", "file:///C:/USERS/a"],
    ["file://server/share", "file://server/SHARE/a"],
    ["file:///a%5Cb", "file:///a%5Cb/c"],
    [OPAQUE, OPAQUE],
    ["file:///a/%FF", "file:///a/%FF/b"],
    ["file:///a", "file:///a/%FF"],
    ["file:///", "file:///%FF"],
  ])("%s contains %s", (outer, inner) => {
    expect(uriContains(uri(outer), uri(inner))).toBe(true);
  });

  it.each([
    ["part of a name", "file:///a", "file:///ab"],
    ["the parent", "file:///a/b", "file:///a"],
    ["another case", "file:///a", "file:///A/b"],
    ["a path below a hidden slash", "file:///a", "file:///a%2Fb"],
    ["what a hidden slash seems to name", "file:///a%2Fb", "file:///a/b"],
    ["itself behind a hidden slash", "file:///a%2Fb", "file:///a%2Fb/c"],
    ["a hidden backslash on Windows", "file:///C:/a", "file:///C:/a/b%5Cc"],
    ["a drive", "file:///", "file:///C:/a"],
    ["a share", "file:///", "file://server/share"],
    ["another server", "file://one/share", "file://two/share/a"],
    ["another drive", "file:///C:", "file:///D:/a"],
    ["an opaque path", "file:///", OPAQUE],
    ["anything in an opaque path", OPAQUE, `${OPAQUE}/x`],
    ["a path with a NUL", "file:///a", "file:///a/b%00"],
    ["another case beyond ASCII", "file:///C:/É", "file:///C:/é/a"],
  ])("does not contain %s", (_, outer, inner) => {
    expect(uriContains(uri(outer), uri(inner))).toBe(false);
  });
});

describe("parentUri", () => {
  it.each([
    ["file:///a/b", "file:///a"],
    ["file:///a", "file:///"],
    ["file:///", undefined],
    ["file:///C:/a", "file:///C:"],
    ["file:///C:", undefined],
    ["file://server/share/a", "file://server/share"],
    ["file://server/share", undefined],
    [OPAQUE, undefined],
  ])("of %s is %s", (text, parent) => {
    expect(parentUri(uri(text))).toBe(parent);
  });
});

describe("joinUri", () => {
  it.each([
    ["file:///a", "b/c", "file:///a/b/c"],
    ["file:///a", "", "file:///a"],
    ["file:///a", ".", "file:///a"],
    ["file:///a/b", "../c", "file:///a/c"],
    ["file:///a", "../../../x", "file:///x"],
    ["file:///a", "/x/./y", "file:///x/y"],
    ["file:///a", "100%?#", "file:///a/100%25%3F%23"],
    ["file:///a", "%2e%2e/b", "file:///a/%252e%252e/b"],
    ["file:///a", "b\\c", "file:///a/b%5Cc"],
    ["file:///C:/a", "b\\c/d", "file:///C:/a/b/c/d"],
    ["file:///C:/a", "..\\..\\..\\x", "file:///C:/x"],
    ["file:///C:/a", "\\x", "file:///C:/x"],
    ["file:///C:/a", "/x", "file:///C:/x"],
    ["file:///C:/a", "C:x", "file:///C:/a/x"],
    ["file:///C:/a", "c:x", "file:///C:/a/x"],
    ["file:///C:/a", "C:", "file:///C:/a"],
    ["file:///C:/a", "D:\\x", "file:///D:/x"],
    ["file:///C:/a", "\\\\server\\share\\x", "file://server/share/x"],
    ["file://server/share/a", "\\x", "file://server/share/x"],
    ["file://server/share/a", "..\\..\\x", "file://server/share/x"],
    ["file://server/share/a", "C:\\x", "file:///C:/x"],
  ])("joins %s and %j", (base, text, joined) => {
    expect(joinUri(uri(base), text)).toBe(joined);
  });

  it.each([
    ["file:///C:/a", "D:x"],
    ["file://server/share", "C:x"],
  ])("refuses to join %s and %s of another drive", (base, text) => {
    expectRefusal(() => joinUri(uri(base), text), "invalidPath", text);
  });

  it("refuses a NUL and an opaque base", () => {
    expectRefusal(() => joinUri(uri("file:///a"), "b\0"), "invalidPath", "b\\u0000");
    expectRefusal(() => joinUri(uri(OPAQUE), "b"), "invalidPath", OPAQUE);
  });

  it("refuses text that is not Unicode", () => {
    expectRefusal(() => joinUri(uri("file:///a"), "\ud800"), "invalidPath", "\\ud800");
  });

  it.each([
    ["file:///", "C:"],
    ["file:///", "c:/x"],
    ["file:///a", "../C:/x"],
  ])("does not make a drive of %s and the POSIX name %s", (base, text) => {
    expect(joinUri(uri(base), text)).toMatch(/^file:\/\/\/%00\//);
  });
});
