import { describe, expect, it } from "vitest";
import { nativeOfUri, uriOfNative } from "../../../src/policy/index.ts";
import { refusalOf } from "../support/refusal.ts";

describe("uriOfNative", () => {
  it.each([
    ["/", "file:///", "/"],
    ["/home/user/x y", "file:///home/user/x%20y", "/home/user/x y"],
    ["/a b%#?", "file:///a%20b%25%23%3F", "/a b%#?"],
    ["/a\\b", "file:///a%5Cb", "/a\\b"],
    ["/a|b", "file:///a%7Cb", "/a|b"],
    ["//s/h", "file:///s/h", "/s/h"],
    ["/a/./b/../c/", "file:///a/c", "/a/c"],
    ["/../..", "file:///", "/"],
    ["/c:x/y", "file:///c:x/y", "/c:x/y"],
    ["/a/C:/x", "file:///a/C:/x", "/a/C:/x"],
    ["/é", "file:///%C3%A9", "/é"],
  ])("writes the POSIX path %s", (text, uri, native) => {
    expect(uriOfNative(text)).toBe(uri);
    expect(nativeOfUri(uriOfNative(text))).toBe(native);
  });

  it.each([
    ["C:\\", "file:///C:", "C:\\"],
    ["C:/", "file:///C:", "C:\\"],
    ["c:\\Users/A\\..\\B\\", "file:///C:/Users/B", "C:\\Users\\B"],
    ["C:\\..\\..\\x", "file:///C:/x", "C:\\x"],
    ["\\\\server\\share", "file://server/share", "\\\\server\\share"],
    ["\\\\server\\share\\..\\x", "file://server/share/x", "\\\\server\\share\\x"],
    ["\\\\?\\C:\\x", "file:///C:/x", "C:\\x"],
    ["\\\\.\\C:\\x", "file:///C:/x", "C:\\x"],
    ["\\\\?\\UNC\\server\\share\\d", "file://server/share/d", "\\\\server\\share\\d"],
    ["\\\\?\\unc\\server\\share", "file://server/share", "\\\\server\\share"],
  ])("writes the Windows path %s", (text, uri, native) => {
    expect(uriOfNative(text)).toBe(uri);
    expect(nativeOfUri(uriOfNative(text))).toBe(native);
  });

  it.each([
    "/C:/x",
    "/c:",
    "\\\\localhost\\share\\x",
    "\\\\LocalHost\\share",
    "\\\\?\\Volume{1}\\x",
    "\\\\.\\pipe\\x",
    "\\\\a b\\share",
  ])("hides %s in an opaque URI and finds it again", (text) => {
    const uri = uriOfNative(text);
    expect(uri).toMatch(/^file:\/\/\/%00\/bad\/path\/[\w-]+$/);
    expect(nativeOfUri(uri)).toBe(text);
  });

  it("writes POSIX bytes and UTF-16LE in opaque URIs", () => {
    expect(uriOfNative("/C:/x")).toBe("file:///%00/bad/path/L0M6L3g");
    const payload = Buffer.from("\\\\localhost\\s", "utf16le").toString("base64url");
    expect(uriOfNative("\\\\localhost\\s")).toBe(`file:///%00/bad/path/${payload}`);
  });

  it.each(["", "a", "./a", "~", "~/a", "C:", "C:a", "\\a", "file:///a"])("refuses %j", (text) => {
    expect(refusalOf(() => uriOfNative(text))).toMatchObject({
      code: "invalidPath",
      message: `path \`${text}\` is not absolute`,
    });
  });

  it.each(["/a\0b", "/\ud800", "C:\\\udc00", "\\\\server\\a\0"])(
    "refuses the bytes of %j",
    (text) => {
      expect(refusalOf(() => uriOfNative(text)).code).toBe("invalidPath");
    },
  );
});
