import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import {
  accessTo,
  parseAbsolutePath as at,
  bindProfile,
  type Entry,
  type HostRoots,
  PolicyError,
  parseGlob,
} from "../../../src/policy/index.ts";
import { campaign } from "../../support/campaign.ts";
import { hostRoots } from "./arbitraries.ts";
import { ancestors } from "./naive-access.ts";
import { regexOfGlob } from "./naive-glob.ts";

vi.setConfig({ testTimeout: 60_000 });

function globEntry(base: "absolute" | "cwd" | "workspaceRoots", pattern: string): Entry {
  return { target: { type: "glob", base, pattern }, access: "deny" };
}

/** What one pattern denies on a host where everything else may be written. */
function denialsOf(entry: Entry, host: HostRoots): (path: string) => boolean {
  const everything: Entry = { target: { type: "root" }, access: "write" };
  const bound = bindProfile(
    {
      type: "managed",
      unixSockets: "none",
      fileSystem: { type: "restricted", entries: [everything, entry] },
      network: { kind: "restricted" },
    },
    { ...host, protectedNames: [] },
  );
  return (path) => accessTo(bound, at(path)) === "deny";
}

function deniedBy(entry: Entry, host: HostRoots, path: string): boolean {
  return denialsOf(entry, host)(path);
}

const plain = fc.constantFrom(
  "a",
  "b",
  "c",
  "ab",
  "-",
  "é",
  "🙂",
  "]",
  "!",
  ".e",
  "\\*",
  "\\[",
  "\\{",
  "\\é",
);
const single = fc.constantFrom("?", "[ab]", "[!a]", "[^b]", "[a-c]", "[b-]", "[!a-b]", "[é🙂]");
const word = fc
  .array(fc.oneof(plain, single), { minLength: 1, maxLength: 3 })
  .map((all) => all.join(""));
const group = fc
  .array(word, { minLength: 2, maxLength: 3 })
  .map((branches) => `{${branches.join(",")}}`);
const piece = fc.oneof({ weight: 3, arbitrary: word }, { weight: 1, arbitrary: group });
const starred = fc
  .tuple(fc.constantFrom("", "*"), piece, fc.constantFrom("", "*"), fc.option(piece, { nil: "" }))
  .map((parts) => parts.join(""));
const segment = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom("**", "*") },
  { weight: 4, arbitrary: starred },
);
const pattern = fc
  .array(segment, { minLength: 1, maxLength: 4 })
  .map((names) => names.filter((one, at) => one !== "**" || names[at - 1] !== "**").join("/"));

const name = fc
  .array(fc.constantFrom("a", "b", "c", "-", "é", "🙂", "]", "*", "[", "{", "!", ".e", "^", "\\"), {
    minLength: 1,
    maxLength: 4,
  })
  .map((chars) => chars.join(""));
const path = fc.array(name, { maxLength: 4 }).map((names) => `/${names.join("/")}`);

describe("a deny pattern", () => {
  it("denies exactly what a regular expression of it matches, and all below", () => {
    fc.assert(
      fc.property(
        pattern,
        fc.array(path, { minLength: 5, maxLength: 20 }),
        hostRoots,
        (text, paths, host) => {
          fc.pre(isAccepted(`/${text}`));
          const regex = regexOfGlob("", text);
          const isMatched = (one: string) =>
            ancestors(one).some((above) => above !== "/" && regex.test(above));
          const isDenied = denialsOf(globEntry("absolute", `/${text}`), host);
          expect([text, paths.filter(isDenied)]).toEqual([text, paths.filter(isMatched)]);
        },
      ),
      campaign(5000),
    );
  });

  it("denies the literal name that is escaped in it", () => {
    fc.assert(
      fc.property(name, hostRoots, (text, host) => {
        const literal = [...text].map((char) => `\\${char}`).join("");
        expect(deniedBy(globEntry("absolute", `/x/${literal}`), host, `/x/${text}`)).toBe(true);
        expect(deniedBy(globEntry("absolute", `/x/${literal}`), host, `/x/${text}a`)).toBe(false);
      }),
      campaign(2000),
    );
  });

  it("means a root literally, whatever characters its name has", () => {
    const odd = fc
      .array(fc.constantFrom("a", "[", "]", "*", "?", "{", "}", ",", "\\", "!", "-"), {
        minLength: 1,
        maxLength: 5,
      })
      .map((chars) => at(`/r/${chars.join("")}`));
    fc.assert(
      fc.property(odd, odd, hostRoots, (root, other, given) => {
        const host = { ...given, cwd: root, workspaceRoots: [root] };
        for (const base of ["cwd", "workspaceRoots"] as const) {
          const entry = globEntry(base, "**/*.env");
          expect(deniedBy(entry, host, `${root}/x/k.env`)).toBe(true);
          expect(deniedBy(entry, host, `${other}/k.env`)).toBe(other === root);
        }
      }),
      campaign(2000),
    );
  });

  it("is refused with a PolicyError, or denies no path by throwing later", () => {
    const hostile = fc
      .array(
        fc.constantFrom(
          "*",
          "**",
          "?",
          "[",
          "]",
          "!",
          "-",
          "{",
          "}",
          ",",
          "\\",
          "/",
          "a",
          ".",
          "..",
        ),
        {
          maxLength: 12,
        },
      )
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(hostile, path, hostRoots, (text, one, host) => {
        try {
          parseGlob(`/${text}`);
        } catch (error) {
          expect(error).toBeInstanceOf(PolicyError);
          return;
        }
        expect(() => deniedBy(globEntry("absolute", `/${text}`), host, one)).not.toThrow();
      }),
      campaign(5000),
    );
  });

  it.each([
    ["a POSIX class", "/s/[[:alpha:]]"],
    ["a range that runs backwards", "/s/[z-a]"],
    ["a backslash in a class that begins with a bracket", "/s/[]a\\]b]"],
    ["a comma in a class within alternatives", "/s/{[,],x}"],
  ])("is refused where other matchers read it in another way: %s", (_, text) => {
    expect(() => parseGlob(text)).toThrow(PolicyError);
  });
});

function isAccepted(text: string): boolean {
  try {
    return parseGlob(text).length > 0;
  } catch (error) {
    expect(error).toBeInstanceOf(PolicyError);
    return false;
  }
}

describe("matching", () => {
  it("ends on patterns that make a backtracking matcher hang", () => {
    const shape = fc.constantFrom("**/a*", "*a", "**/*a*", "a*", "**/?*", "*/**");
    const size = fc.integer({ min: 20, max: 200 });
    const depths = fc.integer({ min: 10, max: 40 });
    fc.assert(
      fc.property(shape, size, depths, hostRoots, (unit, times, depth, host) => {
        const glue = unit.includes("/") ? "/" : "";
        const text = Array.from({ length: times }, () => unit)
          .join(glue)
          .replaceAll("**/**", "**");
        const long = `/${Array.from({ length: depth }, () => "a".repeat(100)).join("/")}`;
        deniedBy(globEntry("absolute", `/${text}b`.replace("**b", "**/b")), host, long);
      }),
      campaign(100),
    );
  });
});
