import { describe, expect, it } from "vitest";
import {
  hostPathOfUri,
  nativeOfUri,
  parsePathUri,
  parseStraightUri,
  sameUri,
  uriOfNative,
} from "../../../src/policy/index.ts";
import { expectRefusal, refusalOf } from "../support/refusal.ts";

describe("parsePathUri", () => {
  it.each([
    ["file:///", "file:///"],
    ["file:", "file:///"],
    ["file:///srv/", "file:///srv"],
    ["file:///a//b/./c/../d", "file:///a/b/d"],
    ["file:///a/%2e%2E/b", "file:///b"],
    ["file:///../../a", "file:///a"],
    ["file:///%41%7e", "file:///A~"],
    ["file:///%C3%A9", "file:///%C3%A9"],
    ["file:///é", "file:///%C3%A9"],
    ["file:///x%20y%23%3F%25", "file:///x%20y%23%3F%25"],
    ["file:///a+b&c=d,e;f@g:h$i", "file:///a+b&c=d,e;f@g:h$i"],
    ["file:///a%2fb", "file:///a%2Fb"],
    ["file:///%ff/a", "file:///%FF/a"],
    ["file:///c:/Users/A", "file:///C:/Users/A"],
    ["file:///c:", "file:///C:"],
    ["file:///C:/../../x", "file:///C:/x"],
    ["file:///C|/x", "file:///C:/x"],
    ["file://Server/Share/Dir", "file://server/Share/Dir"],
    ["file:///%00/bad/path/L0M6L3g", "file:///%00/bad/path/L0M6L3g"],
    ["file:///a/..", "file:///"],
    ["file:///a/b/.", "file:///a/b"],
    ["file:///./a", "file:///a"],
    ["file:///a/../b", "file:///b"],
    ["file:///...", "file:///..."],
    ["file:///.a/..b/c../.d", "file:///.a/..b/c../.d"],
  ])("canonicalises %s", (text, canonical) => {
    expect(parsePathUri(text)).toBe(canonical);
    expect(parsePathUri(parsePathUri(text))).toBe(canonical);
  });

  it.each([
    ...["file:///a/..", "file:///a/../b", "file:///./a", "file:///a/%2e%2E/b", "file:///%2e"],
    ...["file:/a/.%2E", "file:../a", "file:.", "file://host/a/..", "file:///C:/../x"],
  ])("refuses %s where it grants or denies", (text) => {
    expect(() => parseStraightUri(text)).toThrow("`.` and `..` are not allowed");
  });

  it.each(["file:///...", "file:///.a/..b/c..", "file:///a/%252e%252e", "file:///a:../%2ea"])(
    "takes %s also where it grants or denies",
    (text) => {
      expect(parseStraightUri(text)).toBe(parsePathUri(text));
    },
  );

  it.each(["file:///srv", "file:///var/tmp/A-b_c.d~e/9", "file:///.git/..x/y..", "file:///C/x"])(
    "gives back %s, in which a URL parser finds nothing to change either",
    (text) => {
      expect(parsePathUri(text)).toBe(text);
      expect(new URL(text).href).toBe(text);
    },
  );

  it.each([
    ["", "invalid URI: relative URL without a base"],
    ["srv/x", "invalid URI: relative URL without a base"],
    ["/srv", "invalid URI: relative URL without a base"],
    ["//server/x", "invalid URI: relative URL without a base"],
    ["https://h/x", "unsupported path URI scheme `https`"],
    ["mailto:a", "unsupported path URI scheme `mailto`"],
    ["file:///a?", "query parameters are not allowed in path URIs"],
    ["file:///a?b#c", "query parameters are not allowed in path URIs"],
    ["file:///a#", "fragments are not allowed in path URIs"],
    ["file://u:p@/x", "invalid URI: invalid international domain name"],
    ["file://u@h/x", "invalid URI: invalid international domain name"],
    ["file://h:80/x", "invalid URI: invalid international domain name"],
  ])("refuses %j with the words of Codex", (text, message) => {
    const refusal = refusalOf(() => parsePathUri(text));
    expect(refusal).toMatchObject({ code: "invalidPath", message });
  });

  it.each([
    " file:///a",
    "file:///a ",
    "file:///a\nb",
    "file:///a\tb",
    "fi\nle:///a",
    "file:///a\\b",
  ])("refuses %j, which a URL parser would quietly mend", (text) => {
    expectRefusal(() => parsePathUri(text), "invalidPath", "invalid URI");
  });

  it.each(["file:///\ud800", "file:///a\0"])("refuses the broken text %j", (text) => {
    expectRefusal(() => parsePathUri(text), "invalidPath", "invalid URI");
  });

  it("gives two spellings of one POSIX name one text", () => {
    for (const [one, other] of [
      ["file:///%61b", "file:///ab"],
      ["file:///a%5Cb", "file:///%61%5Cb"],
    ] as const) {
      expect(parsePathUri(one)).toBe(parsePathUri(other));
    }
  });
});

describe("nativeOfUri", () => {
  it.each([
    ["file:///", "/"],
    ["file:///home/user/x%20y", "/home/user/x y"],
    ["file:///a%5Cb", "/a\\b"],
    ["file:///C:/Users/A", "C:\\Users\\A"],
    ["file:///C:", "C:\\"],
    ["file://server/share/dir", "\\\\server\\share\\dir"],
    ["file:///%00/bad/path/L0M6L3g", "/C:/x"],
  ])("spells %s as %s", (text, native) => {
    expect(nativeOfUri(parsePathUri(text))).toBe(native);
  });

  it.each([
    ["a hidden slash", "file:///srv%2Fpmo"],
    ["a hidden backslash on Windows", "file:///C:/a%5Cb"],
    ["bytes that are not UTF-8", "file:///a/%FF"],
    ["a NUL", "file:///a%00b"],
    ["an opaque form of a plain path", "file:///%00/bad/path/L3Nydg"],
    ["a padded payload", "file:///%00/bad/path/L0M6L3g="],
    ["a payload with a foreign letter", "file:///%00/bad/path/L0M6L3g!"],
    ["a payload that is no path", "file:///%00/bad/path/YQ"],
    ["an empty payload", "file:///%00/bad/path/"],
  ])("has no native spelling for %s", (_, text) => {
    expect(nativeOfUri(parsePathUri(text))).toBeUndefined();
  });
});

describe("hostPathOfUri", () => {
  it("reads a path that looks like a drive as the POSIX path it is", () => {
    expect(hostPathOfUri(uriOfNative("/C:/x"), "linux")).toBe("/C:/x");
  });

  it.each([
    ["file:///C:/srv", "linux"],
    ["file://server/share", "macos"],
    ["file:///srv%2Fpmo", "linux"],
    ["file:///%FF", "macos"],
    ["file:///a%00b", "linux"],
  ] as const)("refuses %s on %s", (text, system) => {
    const message = `'${text}' is invalid on '${system}'`;
    const refusal = refusalOf(() => hostPathOfUri(parsePathUri(text), system));
    expect(refusal).toMatchObject({ code: "unbindable", message });
  });

  it("refuses an opaque path of Windows", () => {
    const uri = uriOfNative("\\\\localhost\\share\\x");
    expectRefusal(() => hostPathOfUri(uri, "linux"), "unbindable", "is invalid on 'linux'");
  });
});

describe("sameUri", () => {
  it.each([
    ["file:///a", "file:///a", true],
    ["file:///a", "file:///A", false],
    ["file:///C:/a", "file:///c:/A", true],
    ["file:///C:/É", "file:///C:/é", false],
    ["file://server/Share", "file://SERVER/share", true],
    ["file://server/share", "file://other/share", false],
    ["file:///C:/a", "file:///a", false],
    ["file:///%00/bad/path/L0M6L3g", "file:///%00/bad/path/L0M6L3g", true],
    ["file:///srv%2Fx", "file:///srv/x", false],
    ["file:///srv%2Fx", "file:///srv%2fx", true],
    ["file:///%FF", "file:///%ff", true],
  ])("compares %s and %s", (one, other, same) => {
    expect(sameUri(parsePathUri(one), parsePathUri(other))).toBe(same);
    expect(sameUri(parsePathUri(other), parsePathUri(one))).toBe(same);
  });
});
