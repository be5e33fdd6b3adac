import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import {
  accessTo,
  parseAbsolutePath as at,
  type BoundProfile,
  parseGlob,
} from "../../../src/policy/index.ts";
import { regexOfGlob } from "../../../src/sandbox/macos/regex-of-glob.ts";
import { boundWith } from "../../policy/support/profiles.ts";
import { campaign } from "../../support/campaign.ts";

vi.setConfig({ testTimeout: 60_000 });

/** Everything writable, and one pattern. */
function denying(pattern: string): BoundProfile {
  const bound = boundWith([[":root", "write"]]);
  if (bound.files.type !== "restricted") throw new Error("expected restricted files");
  return { ...bound, files: { ...bound.files, globs: [{ pattern, rule: "the pattern" }] } };
}

function isMatched(pattern: string, path: string, reading: "characters" | "bytes"): boolean {
  const seen = (text: string) =>
    reading === "bytes" ? Buffer.from(text).toString("latin1") : text;
  const flags = reading === "bytes" ? "s" : "su";
  return parseGlob(pattern).some((segments) =>
    new RegExp(seen(regexOfGlob(segments)), flags).test(seen(path)),
  );
}

function isAccepted(pattern: string): boolean {
  try {
    return parseGlob(pattern).length > 0;
  } catch {
    return false;
  }
}

const PIECES = ["a", "b", "ab", "-", "]", "!", ".e", "k", "s", "(", "+", "$", '"', " "];
const MARKS = [
  "*",
  "?",
  "[ab]",
  "[!a]",
  "[^b]",
  "[a-c]",
  "[b-]",
  "[!]a]",
  "[]-]",
  "[ -.]",
  "[!0-~]",
];
const ESCAPES = ["\\*", "\\[", "\\{", "\\?", "\\\\"];
const HIGH = ["é", "🙂", "[é🙂]", "[!é]", "[à-ü]", "[^🙂]", "ß", "e\u0301"];

function patternOf(pieces: readonly string[]) {
  const word = fc
    .array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 4 })
    .map((all) => all.join("").replaceAll(/\*+/g, "*"));
  const group = fc.tuple(word, word).map(([one, other]) => `{${one},${other}}`);
  const segment = fc.oneof(
    { weight: 5, arbitrary: word },
    { weight: 1, arbitrary: group },
    { weight: 2, arbitrary: fc.constant("**") },
  );
  return fc
    .array(segment, { minLength: 1, maxLength: 4 })
    .map((names) => `/${names.join("/")}`)
    .filter(isAccepted);
}

function pathOf(characters: readonly string[]) {
  const name = fc
    .array(fc.constantFrom(...characters), { minLength: 1, maxLength: 4 })
    .map((all) => all.join(""))
    .filter((one) => one !== "." && one !== "..");
  return fc.array(name, { maxLength: 4 }).map((names) => at(`/${names.join("/")}`));
}

const CHARACTERS = [
  "a",
  "b",
  "c",
  "-",
  "]",
  "[",
  "*",
  "{",
  "!",
  "^",
  "\\",
  ".",
  "k",
  "s",
  '"',
  "(",
  "$",
  " ",
];
const plainPattern = patternOf([...PIECES, ...MARKS, ...ESCAPES]);
const anyPattern = patternOf([...PIECES, ...MARKS, ...ESCAPES, ...HIGH]);

describe("regexOfGlob", () => {
  it("matches exactly what the policy denies among names of printable ASCII, descendants included", () => {
    const paths = fc.array(pathOf(CHARACTERS), { minLength: 5, maxLength: 20 });
    fc.assert(
      fc.property(plainPattern, paths, (pattern, given) => {
        const profile = denying(pattern);
        for (const path of given) {
          const denied = accessTo(profile, path) === "deny";
          expect([pattern, path, isMatched(pattern, path, "characters")]).toEqual([
            pattern,
            path,
            denied,
          ]);
          expect([pattern, path, isMatched(pattern, path, "bytes")]).toEqual([
            pattern,
            path,
            denied,
          ]);
        }
      }),
      campaign(5000),
    );
  });

  it("denies no less where names are not printable ASCII, whether bytes or characters are read", () => {
    const paths = fc.array(
      pathOf([...CHARACTERS, "é", "e\u0301", "🙂", "ü", "ß", "A", "É", "\n"]),
      {
        minLength: 5,
        maxLength: 20,
      },
    );
    fc.assert(
      fc.property(anyPattern, paths, (pattern, given) => {
        const profile = denying(pattern);
        for (const path of given.filter((one) => accessTo(profile, one) === "deny")) {
          expect([pattern, path, isMatched(pattern, path, "characters")]).toEqual([
            pattern,
            path,
            true,
          ]);
          expect([pattern, path, isMatched(pattern, path, "bytes")]).toEqual([pattern, path, true]);
        }
      }),
      campaign(5000),
    );
  });

  it.each([
    ["/r/secret/*", "/r/Secret/x"],
    ["/r/**/.env", "/r/a/.ENV"],
    ["/r/[k-s]*", "/r/Key"],
    ["/r/keys", "/r/\u212aey\u017f"],
    ["/r/café", "/r/cafe\u0301"],
    ["/r/cafe\u0301", "/r/CAFÉ/below"],
  ])("matches %s in the spelling %s, which the disk takes for the same", (pattern, path) => {
    expect(isMatched(pattern, path, "characters")).toBe(true);
    expect(isMatched(pattern, path, "bytes")).toBe(true);
  });

  it("does not match the root by a star", () => {
    expect(isMatched("/*", "/", "characters")).toBe(false);
    expect(isMatched("/**", "/", "characters")).toBe(false);
  });
});
