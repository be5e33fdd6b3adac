/** Deny patterns, cases 57 to 64, on the kernel. */
import { describe, expect, it } from "vitest";
import type { Rule } from "../../policy/support/profiles.ts";
import { USERS } from "../support/sandbox-user.ts";
import { type Found, SpecPlace } from "./spec-place.ts";

const WORKSPACE: readonly Rule[] = [
  [":root", "read"],
  [":workspace_roots", "write"],
];
const FILES = ["a.env", "x/a.env", "x/y/a.env", ".gitignore", "x/f", "f"];

describe.each(USERS)("deny patterns as %s", (user) => {
  it("case 57: matches are hidden at every depth, ignored or not; a new one can be made", () => {
    const place = new SpecPlace(user, ...FILES);
    place.write(".gitignore", "*.env\n");
    const expected: Record<string, Found> = {
      "/r/a.env": "--",
      "/r/x/a.env": "--",
      "/r/x/y/a.env": "--",
      "/r/x/f": "RW",
      "/r/x/new.env": "C",
    };
    const flags = place.state([...WORKSPACE, ["glob:/r/**/*.env", "deny"]]);
    expect(place.probe(flags, Object.keys(expected))).toEqual(expected);
  });

  it("case 58: a scan depth is not heeded, where Codex leaves what lies deeper open", () => {
    const place = new SpecPlace(user, ...FILES);
    const wire = place.wire([...WORKSPACE, ["glob:/r/**/*.env", "deny"]]);
    const flags = place.stateOf({
      ...wire,
      file_system: { ...wire.file_system, glob_scan_max_depth: 2 },
    });
    const found = place.probe(flags, ["/r/a.env", "/r/x/a.env", "/r/x/y/a.env", "/r/f"]);
    expect(Object.values(found)).toEqual(["--", "--", "--", "RW"]);
  });

  it.each([
    ["case 59: a relative pattern hides at every depth below the cwd", "*.env"],
    [
      "case 63: a symbolic pattern is bound, with which one of Codex's readers fails open",
      "codex-project-roots://**/*.env",
    ],
  ])("%s", (_, pattern) => {
    const place = new SpecPlace(user, ...FILES, "/o/a.env");
    const flags = place.state([...WORKSPACE, [`glob:${pattern}`, "deny"]]);
    const found = place.probe(flags, ["/r/a.env", "/r/x/y/a.env", "/r/f", "/o/a.env"]);
    expect(Object.values(found)).toEqual(["--", "--", "RW", "R-"]);
  });

  it("a link to what is the command's own takes nothing of that away, and starts go on", () => {
    const links = ["/dev/null", "/proc/self/environ", "/proc", "/dev"];
    const named = links.map((to, index) => [`${index}.env`, to] as const);
    const place = new SpecPlace(user, ...FILES, ...named);
    const flags = place.state([...WORKSPACE, ["glob:/r/**/*.env", "deny"]]);
    const script = "echo x > /dev/null && head -c1 /proc/self/status && cat a.env; echo over";
    expect(place.sh(script, flags)).toMatchObject({ status: 0, stdout: "Nover\n" });
  });

  it("case 60: a pattern over the whole disk is kept or refused, where Codex always refuses", () => {
    const place = new SpecPlace(user, ...FILES);
    const flags = place.state([...WORKSPACE, ["glob:/**/*.env", "deny"]]);
    const { status, stdout, stderr } = place.sh("cat a.env", flags);
    // A disk can be too large to look through, and parts of it may not be entered.
    expect({ stdout, said: status !== 125 || stderr.includes("/**/*.env") }).toEqual({
      stdout: "",
      said: true,
    });
    expect(status).not.toBe(0);
  });

  it("case 60: a pattern without a wildcard hides the one path, with which Codex does not start", () => {
    const place = new SpecPlace(user, ...FILES);
    const flags = place.state([...WORKSPACE, ["glob:/r/x/a.env", "deny"]]);
    expect(place.probe(flags, ["/r/x/a.env", "/r/a.env"])).toEqual({
      "/r/x/a.env": "--",
      "/r/a.env": "RW",
    });
  });

  it("case 61: a folder that matches is hidden with its contents, which Codex leaves open", () => {
    const place = new SpecPlace(user, "x/secrets/f", "x/secrets/deep/f", "x/f");
    const flags = place.state([...WORKSPACE, ["glob:/r/**/secrets", "deny"]]);
    const paths = ["/r/x/secrets", "/r/x/secrets/f", "/r/x/secrets/deep/f", "/r/x/f"];
    expect(Object.values(place.probe(flags, paths))).toEqual(["--", "--", "--", "RW"]);
  });

  it("case 61: a granted folder that matches and is missing is not made and left open", () => {
    const place = new SpecPlace(user, "build/f");
    const rules: Rule[] = [...WORKSPACE, ["/r/build/cache", "write"], ["glob:/r/**/cache", "deny"]];
    const paths = ["/r/build/cache/x", "/r/build/cache/.git/x", "/r/build/new", "/r/build/f"];
    const found = place.probe(place.state(rules), paths);
    expect(Object.values(found)).toEqual(["--", "--", "C", "RW"]);
    expect(place.exists("/r/build/cache")).toBe(false);
  });

  it.each<[string, Rule]>([
    ["that is there", ["/r/x/secrets/deep/er/f", "deny"]],
    ["that is missing", ["/r/x/secrets/deep/er/later", "deny"]],
    ["that is read", ["/r/x/secrets/deep/er", "read"]],
  ])(
    "case 61: a rule for something %s in such a folder opens nothing on the way to it",
    (_, rule) => {
      const place = new SpecPlace(user, "x/secrets/deep/g", "x/secrets/deep/er/f", "x/f");
      const flags = place.state([...WORKSPACE, ["glob:/r/**/secrets", "deny"], rule]);
      const paths = ["/r/x/secrets", "/r/x/secrets/deep/g", "/r/x/secrets/deep/er/f", "/r/x/f"];
      expect(Object.values(place.probe(flags, paths))).toEqual(["--", "--", "--", "RW"]);
    },
  );

  it("case 62: alternatives and an unclosed bracket mean what they say", () => {
    const place = new SpecPlace(user, "a.env", "a.key", "a.txt", "b[c", "bc");
    const flags = place.state([
      ...WORKSPACE,
      ["glob:/r/*.{env,key}", "deny"],
      ["glob:/r/b[c", "deny"],
    ]);
    const paths = ["/r/a.env", "/r/a.key", "/r/a.txt", "/r/b[c", "/r/bc"];
    expect(Object.values(place.probe(flags, paths))).toEqual(["--", "--", "RW", "--", "RW"]);
  });

  it.each(["read", "write"])(
    "case 64: a pattern that grants %s is refused, which Codex takes and ignores",
    (access) => {
      const place = new SpecPlace(user);
      const flags = place.state([...WORKSPACE, ["glob:/r/*.md", access]]);
      expect(place.refused(flags)).toMatchObject({ status: 2 });
    },
  );
});
