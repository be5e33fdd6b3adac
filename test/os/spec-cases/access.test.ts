/** Cases 1 to 20 of the access table, on the kernel. */
import { describe, expect, it } from "vitest";
import type { Rule } from "../../policy/support/profiles.ts";
import { USERS } from "../support/sandbox-user.ts";
import { type Found, SpecPlace } from "./spec-place.ts";

const ROOT: Rule = [":root", "read"];
const MINIMAL: Rule = [":minimal", "read"];
const WORKSPACE: readonly Rule[] = [ROOT, [":workspace_roots", "write"]];

interface Case {
  readonly rules: readonly Rule[];
  readonly expected: Readonly<Record<string, Found>>;
  readonly from?: string;
}

/** Every file that an expectation names is laid out, with the folders above it. */
const CASES: Readonly<Record<string, Case>> = {
  "case 1: the narrowest rule decides at every level": {
    rules: [
      ...WORKSPACE,
      ["/r/docs", "read"],
      ["/r/docs/private", "deny"],
      ["/r/docs/private/public", "write"],
    ],
    expected: {
      "/r/f": "RW",
      "/r/docs/f": "R-",
      "/r/docs/private/f": "--",
      "/r/docs/private/public/f": "RW",
    },
  },
  "case 2: write beats read on one path": {
    rules: [ROOT, ["/r/a", "read"], ["/r/a", "write"]],
    expected: { "/r/a/f": "RW", "/r/f": "R-" },
  },
  "case 3: deny beats write on one path": {
    rules: [...WORKSPACE, ["/r/a", "write"], ["/r/a", "deny"]],
    expected: { "/r/a/f": "--", "/r/f": "RW" },
  },
  "case 4: none denies": {
    rules: [...WORKSPACE, ["/r/a", "none"]],
    expected: { "/r/a/f": "--", "/r/f": "RW" },
  },
  "case 5: what no rule covers is hidden": {
    rules: [MINIMAL, ["/r/a", "read"]],
    expected: { "/r/a/f": "R-", "/r/b/f": "--", "/o/f": "--" },
    from: "/r/a",
  },
  "case 6: names are compared whole": {
    rules: [ROOT, ["/r/a", "write"]],
    expected: { "/r/a/f": "RW", "/r/ab/f": "R-" },
  },
  "case 7: names are compared with their case": {
    rules: [ROOT, ["/r/dir", "write"]],
    expected: { "/r/dir/f": "RW", "/r/Dir/f": "R-" },
  },
  "case 8: two dots in a rule are folded": {
    rules: [ROOT, ["/r/a/../b", "write"]],
    expected: { "/r/a/f": "R-", "/r/b/f": "RW" },
  },
  "case 9: a slash at the end of a rule says nothing": {
    rules: [ROOT, ["/r/b/", "write"]],
    expected: { "/r/b/f": "RW", "/r/f": "R-" },
  },
  "case 13: a denied root with one folder and the platform open": {
    rules: [[":root", "deny"], MINIMAL, ["/r/docs", "read"]],
    expected: { "/r/docs/f": "R-", "/r/f": "--", "/o/f": "--", "/usr": "R-" },
    from: "/r/docs",
  },
  "case 14: a writable child of a denied folder": {
    rules: [ROOT, ["/r/d", "deny"], ["/r/d/w", "write"]],
    expected: { "/r/d/f": "--", "/r/d": "--", "/r/d/w/f": "RW", "/r/d/w": "RW" },
  },
  "case 15: a read-only child of a denied folder is open, as the model has it and Codex has not": {
    rules: [ROOT, ["/r/d", "deny"], ["/r/d/c", "read"]],
    expected: { "/r/d/f": "--", "/r/d": "--", "/r/d/c/f": "R-" },
  },
  "case 16: write, read, write and deny inside each other": {
    rules: [
      ROOT,
      ["/r/a", "write"],
      ["/r/a/b", "read"],
      ["/r/a/b/c", "write"],
      ["/r/a/b/c/d", "deny"],
    ],
    expected: { "/r/a/f": "RW", "/r/a/b/f": "R-", "/r/a/b/c/f": "RW", "/r/a/b/c/d/f": "--" },
  },
  "case 17: one hidden file in a read-only folder": {
    rules: [...WORKSPACE, ["/r/d", "read"], ["/r/d/b", "deny"]],
    expected: { "/r/d/a": "R-", "/r/d/b": "--", "/r/f": "RW" },
  },
  "case 18: the platform alone, without the scratch space that Codex has in the place of the rest":
    {
      rules: [MINIMAL],
      expected: {
        "/r/f": "--",
        "/etc": "R-",
        "/usr": "R-",
        "/writ-probe": "missing",
        "/var/writ-probe": "missing",
      },
      from: "/usr",
    },
  "case 19: one readable folder with a hidden child": {
    rules: [MINIMAL, ["/r/a", "read"], ["/r/a/c", "deny"]],
    expected: { "/r/a/f": "R-", "/r/a/c/f": "--", "/r/a/c": "--" },
    from: "/r/a",
  },
  "case 20: one hidden file of a readable disk": {
    rules: [ROOT, ["/r/k", "deny"]],
    expected: { "/r/k": "--", "/r/f": "R-" },
  },
  "case 27: a write grant on an unknown symbol opens nothing": {
    rules: [ROOT, [":some_day", "write"]],
    expected: { "/r/f": "R-" },
  },
  "case 28: the older word for the workspace": {
    rules: [ROOT, [":cwd", "write"]],
    expected: { "/r/f": "RW", "/o/f": "R-", "/r/.git": "R-" },
  },
  "case 35: a deny is kept on a path that looks like a drive": {
    rules: [...WORKSPACE, ["/r/C:/secret", "deny"]],
    expected: { "/r/C:/secret": "--", "/r/C:/f": "RW" },
  },
  "case 35: a deny is kept on a path that begins like a network share": {
    rules: [...WORKSPACE, ["//r/share/x", "deny"]],
    expected: { "/r/share/x": "--", "/r/share/f": "RW" },
  },
};

/** Whatever is named and does not end the name of a folder of the rules is a file. */
function layoutOf({ rules, expected }: Case): string[] {
  const names = Object.keys(expected).filter((name) => /^\/[ro]\//.test(name));
  const isFolder = (name: string) =>
    names.some((other) => other.startsWith(`${name}/`)) || name.endsWith("/.git");
  const folders = rules.filter(([target]) => target.endsWith("/")).map(([target]) => target);
  return [...names.map((name) => (isFolder(name) ? `${name}/` : name)), ...folders];
}

describe.each(USERS)("access as %s", (user) => {
  it.each(Object.entries(CASES))("%s", (_, one) => {
    const place = new SpecPlace(user, ...layoutOf(one));
    const { rules, expected, from = "/r" } = one;
    expect(place.probe(place.state(rules), Object.keys(expected), { from })).toEqual(expected);
  });
});
