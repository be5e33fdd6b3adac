/** Disks that are easy to get wrong. Each has a twin on a kernel in test/os/spec-cases. */
import { describe, expect, it } from "vitest";
import type { FileFacts } from "../../../src/sandbox/files/file-facts.ts";
import { boundWith, type Rule } from "../../policy/support/profiles.ts";
import { fileTree } from "../support/file-tree.ts";
import { linesOf, plannedMounts, withoutNames } from "./support/planned-mounts.ts";

const ROOT: Rule = [":root", "read"];

function lines(rules: readonly Rule[], facts: FileFacts): string[] {
  return linesOf(plannedMounts(withoutNames([ROOT, ...rules]), facts));
}

/** What is read-only or missing because of protected names, with the folders they need. */
function named(rules: readonly Rule[], facts: FileFacts) {
  const plan = plannedMounts(boundWith([ROOT, ...rules]), facts);
  const { mounts, placeholders, absent } = plan;
  const covered = mounts.flatMap((mount) => (mount.op === "bindReadOnly" ? [mount.path] : []));
  return {
    covered,
    held: placeholders.map(({ path }) => path),
    absent,
    lines: linesOf(plan),
  };
}

function saying(facts: FileFacts, texts: Readonly<Record<string, string>>): FileFacts {
  return { ...facts, textAt: (path) => texts[path] ?? "" };
}

describe("roots behind links", () => {
  it("are mounted where they really are, with their carve-outs", () => {
    const rules: Rule[] = [
      ["/link", "write"],
      ["/link/blocked", "deny"],
    ];
    expect(lines(rules, fileTree("/real/blocked/", ["/link", "real"]))).toEqual([
      "--ro-bind / /",
      "--bind-fd 9 /real",
      "--perms 0000 --tmpfs /real/blocked",
      "--remount-ro /real/blocked",
    ]);
  });

  it("keep their protected names there", () => {
    const { covered } = named([["/link", "write"]], fileTree("/real/.git/", ["/link", "real"]));
    expect(covered).toContain("/real/.git");
    expect(covered.filter((path) => path.startsWith("/link"))).toEqual([]);
  });

  it("open no protected name that they do not say", () => {
    const facts = fileTree("/real/.git/hooks/", ["/tmp/link", "/real/.git"]);
    const rules: Rule[] = [
      ["/real", "write"],
      ["/tmp/link", "write"],
    ];
    expect(() => named(rules, facts)).toThrow(
      'leads to "/real/.git", which protected name ".git" closes',
    );
    const said: Rule[] = [
      ["/real", "write"],
      ["/alias/.git", "write"],
    ];
    expect(() =>
      named([["/alias", "write"], ...said], fileTree("/real/.git/", ["/alias", "real"])),
    ).not.toThrow();
  });

  it("meet other rules on one real path, and the stricter rank decides", () => {
    const facts = fileTree("/real/", ["/link", "real"]);
    const rules: Rule[] = [
      ["/link", "deny"],
      ["/real", "write"],
    ];
    expect(lines(rules, facts)).toContain("--perms 0000 --tmpfs /real");
  });

  it("are links too where the root is empty, so that both names lead there", () => {
    const plan = plannedMounts(
      withoutNames([["/link/sub", "read"]]),
      fileTree("/real/sub/", ["/link", "real"]),
    );
    expect(linesOf(plan)).toEqual([
      "--tmpfs /",
      "--symlink real /link",
      "--ro-bind-fd 9 /real/sub",
      "--remount-ro /",
    ]);
  });
});

describe("a .git that is a file", () => {
  const facts = fileTree("/r/.git", "/r/real/hooks/", "/o/git/worktrees/w/");
  const rules: Rule[] = [
    ["/r", "write"],
    ["/o", "write"],
  ];
  const covered = (text: string, more: Readonly<Record<string, string>> = {}) =>
    named(rules, saying(facts, { "/r/.git": text, ...more })).covered;

  it("closes the folder it points to, relative or not, in whatever root that lies", () => {
    expect(covered("gitdir: real\n")).toContain("/r/real");
    expect(covered("gitdir: ./x/../real")).toContain("/r/real");
    expect(covered("gitdir: /o/git/worktrees/w\n")).toContain("/o/git/worktrees/w");
  });

  it("closes the folder that one shares as well", () => {
    const shared = { "/o/git/worktrees/w/commondir": "../..\n" };
    expect(covered("gitdir: /o/git/worktrees/w\n", shared)).toContain("/o/git");
  });

  it.each(["", "gitdir", "gitdir:", "gitdir: \n", "real"])("says nothing with %j", (text) => {
    expect(covered(text).filter((path) => path.startsWith("/r/real"))).toEqual([]);
    expect(covered(text)).toContain("/r/.git");
  });

  it("opens nothing: a folder that is hidden stays so", () => {
    const hidden: Rule[] = [
      ["/r", "write"],
      ["/r/real", "deny"],
    ];
    const { lines: found } = named(hidden, saying(facts, { "/r/.git": "gitdir: real" }));
    expect(found).toContain("--perms 0000 --tmpfs /r/real");
    expect(found).not.toContain("--ro-bind-fd 9 /r/real");
  });

  it("keeps a missing folder missing by a placeholder on its first part", () => {
    const { covered: found, held } = named(
      rules,
      saying(facts, { "/r/.git": "gitdir: gone/deep" }),
    );
    expect(found).toContain("/r/gone");
    expect(held).toContain("/r/gone");
  });

  it("is refused when it leads through a link that the command may change", () => {
    const linked = fileTree("/r/.git", "/r/real/", ["/r/l", "real"]);
    expect(() => named(rules, saying(linked, { "/r/.git": "gitdir: l" }))).toThrow(
      expect.objectContaining({ code: "unprotectablePath" }),
    );
  });
});

describe("what is missing", () => {
  it("inside a writable root is granted by making it, a folder before what lies in it", () => {
    const rules: Rule[] = [
      ["/r", "write"],
      ["/r/a/b", "write"],
    ];
    const { held, covered } = named(rules, fileTree("/r/"));
    expect(covered).toContain("/r/a/b/.git");
    const inside = held.filter((path) => path.startsWith("/r/a"));
    expect(inside.slice(0, 3)).toEqual(["/r/a", "/r/a/b", expect.stringMatching(/^\/r\/a\/b\/\./)]);
  });

  it("is closed by itself where another rule opens a place in the folder that it would take", () => {
    const rules: Rule[] = [
      ["/r", "write"],
      ["/r/t/d/keep", "read"],
      ["/r/t/d/out", "write"],
    ];
    const { covered, held } = named(rules, fileTree("/r/"));
    expect(covered).toContain("/r/t/d/keep");
    expect(covered).not.toContain("/r/t");
    expect(held).toEqual(expect.arrayContaining(["/r/t", "/r/t/d", "/r/t/d/keep"]));
  });

  it("leaves the granted folder open in which it lies", () => {
    const rules: Rule[] = [
      ["/r", "write"],
      ["/r/b", "write"],
      ["/r/b/c", "read"],
    ];
    const { covered } = named(rules, fileTree("/r/"));
    expect(covered).toContain("/r/b/c");
    expect(covered).not.toContain("/r/b");
  });

  it("and granted under the name of a file is not made a folder", () => {
    const rules: Rule[] = [
      ["/r", "write"],
      ["/r/.envrc", "write"],
    ];
    const { held } = named(rules, fileTree("/r/"));
    expect(held.filter((path) => path.startsWith("/r/.envrc"))).toEqual([]);
  });

  it("where this user can make nothing is watched and not made", () => {
    const facts = { ...fileTree("/srv/x/"), canMakeIn: () => false };
    const { held, absent, lines: found } = named([["/srv", "write"]], facts);
    expect(held).toEqual([]);
    expect(absent).toEqual(expect.arrayContaining(["/srv/.git", "/srv/.codex"]));
    expect(found).toEqual(["--ro-bind / /", "--bind-fd 9 /srv"]);
  });

  it("in a folder of another user keeps the folders of this one above it where they are", () => {
    const tree = fileTree("/srv/a/b/");
    const facts = { ...tree, canMakeIn: (path: string) => path !== "/srv/a/b" };
    const rules: Rule[] = [ROOT, ["/srv", "write"], ["/srv/a/b/keep", "read"]];
    const { absent, mounts } = plannedMounts(withoutNames(rules), facts);
    expect(absent).toEqual(["/srv/a/b/keep"]);
    const pinned = mounts.filter(({ op }) => op === "pin");
    expect(pinned).toEqual([
      { op: "pin", path: "/srv/a" },
      { op: "pin", path: "/srv/a/b" },
    ]);
  });

  it("and denied below a read-only folder is watched, and nothing is made", () => {
    const plan = plannedMounts(withoutNames([ROOT, ["/srv/gone/x", "deny"]]), fileTree("/srv/"));
    expect(plan).toMatchObject({ absent: ["/srv/gone"], placeholders: [] });
  });
});

describe("a folder that this user may not enter", () => {
  const tree = fileTree("/r/k/");
  const facts: FileFacts = {
    ...tree,
    kindOf: (path) => (path.startsWith("/r/k/") ? "closed" : tree.kindOf(path)),
  };

  it("is hidden as a whole for what is denied in it", () => {
    const rules: Rule[] = [
      ["/r", "write"],
      ["/r/k/deep/secret", "deny"],
    ];
    expect(lines(rules, facts)).toContain("--perms 0000 --tmpfs /r/k");
  });

  it.each(["read", "write"])("is no place for a %s rule", (access) => {
    expect(() => lines([["/r/k/f", access]], facts)).toThrow(
      expect.objectContaining({
        code: "unprotectablePath",
        message: expect.stringContaining('may not enter "/r/k"'),
      }),
    );
  });
});

describe("single files", () => {
  it("that the command may replace by a folder are no place for a rule below them", () => {
    const rules: Rule[] = [
      ["/r", "write"],
      ["/r/f/deep", "deny"],
    ];
    expect(() => lines(rules, fileTree("/r/f"))).toThrow(
      expect.objectContaining({
        code: "unprotectablePath",
        message: expect.stringContaining('"/r/f" is not a folder'),
      }),
    );
  });

  it("are writable by themselves, without protected names below them", () => {
    const { covered, held } = named([["/r/log", "write"]], fileTree("/r/log"));
    expect({ covered, held }).toEqual({ covered: ["/"], held: [] });
  });

  it("stay writable inside what is read-only and what is hidden", () => {
    const rules: Rule[] = [
      ["/r", "write"],
      ["/r/d", "read"],
      ["/r/d/log", "write"],
      ["/r/s", "deny"],
      ["/r/s/log", "write"],
    ];
    expect(lines(rules, fileTree("/r/d/log", "/r/s/log"))).toEqual([
      "--ro-bind / /",
      "--bind-fd 9 /r",
      "--ro-bind-fd 9 /r/d",
      "--perms 0111 --tmpfs /r/s",
      "--bind-fd 9 /r/d/log",
      "--bind-fd 9 /r/s/log",
      "--remount-ro /r/s",
    ]);
  });
});
