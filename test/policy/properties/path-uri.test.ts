import { posix } from "node:path";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import {
  isWithin,
  joinUri,
  nativeOfUri,
  PolicyError,
  parentUri,
  parseAbsolutePath,
  parsePathUri,
  sameUri,
  uriContains,
  uriOfNative,
} from "../../../src/policy/index.ts";
import { anyCharacter } from "../../support/any-character.ts";
import { campaign } from "../../support/campaign.ts";
import { absolutePath } from "./arbitraries.ts";
import { pathUri, posixPath, windowsPath } from "./spelling-arbitraries.ts";

vi.setConfig({ testTimeout: 60_000 });

const uriText = fc
  .array(
    fc.constantFrom(
      ..."file:///",
      "/",
      "a",
      "%2e",
      "%2E%2e",
      "..",
      ".",
      "%2F",
      "%5c",
      "%00",
      "%ff",
      "%61",
      "é",
      "C:",
      "c:",
      "c%3A",
      "C|",
      "localhost",
      "host",
      "@",
      ":80",
      "%",
      "%zz",
      "[",
      "|",
      "\u200b",
      "~",
    ),
    { maxLength: 8 },
  )
  .map((parts) => `file:${parts.join("")}`);

/** Web addresses as `fc.webUrl` makes them, but for its table of all characters. */
const webSegment = fc.string({
  unit: fc.oneof(
    {
      weight: 10,
      arbitrary: fc.constantFrom(
        ..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,;=:@",
      ),
    },
    { weight: 1, arbitrary: anyCharacter.map(encodeURIComponent) },
  ),
});
const webAddress = fc
  .tuple(fc.constantFrom("http", "https"), fc.domain(), fc.array(webSegment))
  .map(([scheme, host, segments]) =>
    [`${scheme}://${host}`, ...segments.map((one) => `/${one}`)].join(""),
  );

describe("a path as a URI", () => {
  it("names exactly that POSIX path", () => {
    fc.assert(
      fc.property(posixPath, (path) => {
        expect(nativeOfUri(uriOfNative(path))).toBe(path);
      }),
      campaign(2000),
    );
  });

  it("names exactly that Windows path", () => {
    fc.assert(
      fc.property(windowsPath, (path) => {
        expect(nativeOfUri(uriOfNative(path))).toBe(path);
      }),
      campaign(2000),
    );
  });

  it("is different for different POSIX paths", () => {
    fc.assert(
      fc.property(posixPath, posixPath, (a, b) => {
        expect(uriOfNative(a) === uriOfNative(b)).toBe(a === b);
      }),
      campaign(2000),
    );
  });

  it("is canonical: it parses as itself", () => {
    fc.assert(
      fc.property(pathUri, (uri) => {
        expect(parsePathUri(uri)).toBe(uri);
      }),
      campaign(2000),
    );
  });
});

describe("parseAbsolutePath", () => {
  it("folds as the operating system does, and folds no further", () => {
    const step = fc.constantFrom("..", ".", "", "a", "...", "b c");
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
        const path = parseAbsolutePath(`/${steps.join("/")}`);
        expect(path).toBe(posix.resolve(`/${steps.join("/")}`));
        expect(parseAbsolutePath(path)).toBe(path);
      }),
      campaign(1000),
    );
  });
});

describe("parsePathUri", () => {
  it("answers the same for its own answer, or refuses with a PolicyError", () => {
    fc.assert(
      fc.property(fc.oneof(uriText, webAddress, fc.string()), (text) => {
        let uri: ReturnType<typeof parsePathUri>;
        try {
          uri = parsePathUri(text);
        } catch (error) {
          expect(error).toBeInstanceOf(PolicyError);
          return;
        }
        expect(parsePathUri(uri)).toBe(uri);
      }),
      campaign(4000),
    );
  });

  it("gives a URI whose path, if it has one, is the path of that URI alone", () => {
    fc.assert(
      fc.property(uriText, (text) => {
        let path: string | undefined;
        try {
          path = nativeOfUri(parsePathUri(text));
        } catch {
          return;
        }
        if (path !== undefined) expect(uriOfNative(path)).toBe(parsePathUri(text));
      }),
      campaign(4000),
    );
  });
});

describe("containment", () => {
  it("agrees with isWithin on POSIX paths", () => {
    fc.assert(
      fc.property(absolutePath, absolutePath, (a, b) => {
        expect(uriContains(uriOfNative(a), uriOfNative(b))).toBe(isWithin(b, a));
      }),
      campaign(4000),
    );
  });

  it("is a partial order", () => {
    const uris = fc.oneof(pathUri, absolutePath.map(uriOfNative));
    fc.assert(
      fc.property(uris, uris, uris, (a, b, c) => {
        expect(uriContains(a, a)).toBe(true);
        if (uriContains(a, b) && uriContains(b, a)) expect(sameUri(a, b)).toBe(true);
        if (uriContains(a, b) && uriContains(b, c)) expect(uriContains(a, c)).toBe(true);
      }),
      campaign(4000),
    );
  });

  it("holds between a URI and its parent, which is not the URI itself", () => {
    fc.assert(
      fc.property(pathUri, (uri) => {
        const parent = parentUri(uri);
        if (parent === undefined) return;
        expect(uriContains(parent, uri)).toBe(true);
        expect(uriContains(uri, parent)).toBe(false);
      }),
      campaign(2000),
    );
  });
});

describe("joinUri", () => {
  const step = fc.constantFrom("..", ".", "", "a", "%2e%2e", "C:", "c:", "C:x", "é?#");
  const relative = fc.array(step, { maxLength: 6 }).map((steps) => steps.join("/"));

  it("never leaves the root of a POSIX base, whatever relative text it is given", () => {
    fc.assert(
      fc.property(posixPath, relative, (base, text) => {
        fc.pre(!text.startsWith("/") && !/^\/[A-Za-z]:(\/|$)/.test(base));
        const joined = joinUri(uriOfNative(base), text);
        expect(nativeOfUri(joined)).toBe(posix.resolve(base, text));
      }),
      campaign(2000),
    );
  });

  it("never leaves the drive of a Windows base", () => {
    fc.assert(
      fc.property(fc.constantFrom("C:\\", "C:\\a\\b"), relative, (base, text) => {
        fc.pre(!/^[A-Za-z]:[\\/]/.test(text));
        const joined = joinUri(uriOfNative(base), text);
        expect(uriContains(uriOfNative("C:\\"), joined)).toBe(true);
      }),
      campaign(1000),
    );
  });

  it("refuses broken Unicode with a PolicyError", () => {
    expect(() => joinUri(uriOfNative("/a"), "\ud800")).toThrow(PolicyError);
  });
});
