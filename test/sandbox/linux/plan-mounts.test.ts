import { describe, expect, it } from "vitest";
import { type BoundProfile, parseAbsolutePath } from "../../../src/policy/index.ts";
import type { FileFacts } from "../../../src/sandbox/files/file-facts.ts";
import { mountFlags } from "../../../src/sandbox/linux/mount.ts";
import { MAX_MOUNTS } from "../../../src/sandbox/linux/mounts/refuse-many-mounts.ts";
import { planMounts } from "../../../src/sandbox/linux/plan-mounts.ts";
import { boundWith, type Rule } from "../../policy/support/profiles.ts";
import { fileTree } from "../support/file-tree.ts";

/** Protected names are tested on their own; the other plans stay readable without them. */
function bare(rules: readonly Rule[]): BoundProfile {
  const bound = boundWith(rules);
  if (bound.files.type === "unrestricted") return bound;
  const entries = bound.files.entries.map((entry) => ({ ...entry, protects: [] }));
  return { ...bound, files: { ...bound.files, entries } };
}

/** One flag a line, without the part that every plan begins with. */
function lines(profile: BoundProfile, facts: FileFacts): string[] {
  const { mounts } = planned(profile, facts);
  return mounts
    .filter(({ op }) => op !== "devices" && op !== "processes")
    .map((mount) => mountFlags(mount, () => 9).join(" "));
}

function planned(profile: BoundProfile, files: FileFacts) {
  return planMounts(profile, { files, own: { hidden: [], readOnly: [] }, unseen: [] });
}

describe("planMounts", () => {
  it("binds the root read-only and the workspace writable", () => {
    const rules: Rule[] = [
      [":root", "read"],
      ["/r", "write"],
    ];
    expect(lines(bare(rules), fileTree("/r/"))).toEqual(["--ro-bind / /", "--bind-fd 9 /r"]);
  });

  it("nests read, write and deny to any depth, a read reopened inside a deny included", () => {
    const rules: Rule[] = [
      [":root", "read"],
      ["/r", "write"],
      ["/r/a", "read"],
      ["/r/a/b", "write"],
      ["/r/a/b/c", "deny"],
      ["/r/a/b/c/d", "read"],
    ];
    expect(lines(bare(rules), fileTree("/r/a/b/c/d/"))).toEqual([
      "--ro-bind / /",
      "--bind-fd 9 /r",
      "--ro-bind-fd 9 /r/a",
      "--bind-fd 9 /r/a/b",
      "--perms 0111 --tmpfs /r/a/b/c",
      "--ro-bind-fd 9 /r/a/b/c/d",
      "--remount-ro /r/a/b/c",
    ]);
  });

  it("hides what it makes for a protected name where a pattern denies it, and opens nothing there", () => {
    const rules: Rule[] = [
      [":root", "read"],
      ["/r", "write"],
      ["/r/build/cache", "write"],
      ["glob:/r/**/cache", "deny"],
    ];
    const { mounts, placeholders } = planned(boundWith(rules), fileTree("/r/build/"));
    const inside = <T extends object>(all: readonly T[]) =>
      all.filter((one) => "path" in one && String(one.path).startsWith("/r/build/"));
    expect(inside(mounts)).toEqual([
      { op: "hideFolder", path: "/r/build/cache", traversable: false },
      { op: "seal", path: "/r/build/cache" },
    ]);
    expect(inside(placeholders)).toEqual([{ path: "/r/build/cache", kind: "folder" }]);
  });

  it("hides what a pattern matches as a whole, whatever rules lie in it", () => {
    const rules: Rule[] = [
      [":root", "read"],
      ["/r", "write"],
      ["/r/a/b/c", "deny"],
      ["/r/a/b/new", "deny"],
      ["glob:/r/[a]", "deny"],
    ];
    const profile = bare(rules);
    const [rule] = profile.files.type === "restricted" ? profile.files.globs : [];
    if (rule === undefined) throw new Error("Cannot test: the pattern is lost");
    const matches = [{ path: parseAbsolutePath("/r/a"), rule, links: [] }];
    const facts = { ...fileTree("/r/a/b/c/"), matchesOf: () => matches };
    expect(lines(profile, facts)).toEqual([
      "--ro-bind / /",
      "--bind-fd 9 /r",
      "--perms 0000 --tmpfs /r/a",
      "--remount-ro /r/a",
    ]);
    expect(planned(profile, facts).placeholders).toEqual([]);
  });

  it("opens nothing inside what nobody may see, on the way to what a rule closes there", () => {
    const rules: Rule[] = [
      ["/", "write"],
      ["/run/a/b/c", "deny"],
      ["/run/u", "read"],
      ["/run/u/w", "write"],
      ["/run/u/w/x/y", "deny"],
    ];
    const files = fileTree("/run/a/b/c/", "/run/u/w/x/y/");
    const unseen = [parseAbsolutePath("/run")];
    const { mounts } = planMounts(bare(rules), {
      files,
      own: { hidden: [], readOnly: [] },
      unseen,
    });
    const open = mounts.filter(({ op }) => op === "bind" || op === "pin" || op === "bindReadOnly");
    expect(open.map((mount) => ("path" in mount ? mount.path : ""))).toEqual([
      ...["/", "/sys"],
      ...["/run/u", "/run/u/w", "/run/u/w/x"],
    ]);
  });

  it("leads to what is open inside a hidden folder by passages that cannot be listed", () => {
    const rules: Rule[] = [
      [":root", "read"],
      ["/s", "deny"],
      ["/s/a/b", "write"],
    ];
    expect(lines(bare(rules), fileTree("/s/a/b/"))).toEqual([
      "--ro-bind / /",
      "--perms 0111 --tmpfs /s",
      "--perms 0111 --dir /s/a",
      "--bind-fd 9 /s/a/b",
      "--remount-ro /s",
    ]);
  });

  it("hides a folder that nothing inside is open of from being entered at all", () => {
    const rules: Rule[] = [
      [":root", "read"],
      ["/s", "deny"],
    ];
    expect(lines(bare(rules), fileTree("/s/"))).toContain("--perms 0000 --tmpfs /s");
  });

  it("pins every writable folder above a carve-out, and none above the mount", () => {
    const rules: Rule[] = [
      [":root", "read"],
      ["/r", "write"],
      ["/r/a/b/keep", "read"],
    ];
    expect(lines(bare(rules), fileTree("/r/a/b/keep/"))).toEqual([
      "--ro-bind / /",
      "--bind-fd 9 /r",
      "--bind-fd 9 /r/a",
      "--bind-fd 9 /r/a/b",
      "--ro-bind-fd 9 /r/a/b/keep",
    ]);
  });

  it.each(["read", "deny"])("pins them also above one that is missing, with %s", (access) => {
    const rules: Rule[] = [
      [":root", "read"],
      ["/r", "write"],
      ["/r/a/b/keep", access],
    ];
    expect(lines(bare(rules), fileTree("/r/a/b/")).slice(0, 4)).toEqual([
      "--ro-bind / /",
      "--bind-fd 9 /r",
      "--bind-fd 9 /r/a",
      "--bind-fd 9 /r/a/b",
    ]);
  });

  it("begins with an empty root when nothing says otherwise, and seals it last", () => {
    const rules: Rule[] = [
      ["/usr", "read"],
      ["/bin", "read"],
    ];
    expect(lines(bare(rules), fileTree("/usr/bin/", ["/bin", "usr/bin"]))).toEqual([
      "--tmpfs /",
      "--symlink usr/bin /bin",
      "--ro-bind-fd 9 /usr",
      "--remount-ro /",
    ]);
  });

  it("keeps the kernel's files read-only when the whole disk is writable", () => {
    expect(lines(bare([[":root", "write"]]), fileTree())).toEqual([
      "--bind / /",
      "--ro-bind /sys /sys",
    ]);
    const facts = fileTree("/sys/kernel/");
    expect(() => planned(bare([["/sys/kernel", "write"]]), facts)).toThrow(
      expect.objectContaining({ code: "unenforceableRule" }),
    );
  });

  it("covers protected names, the missing ones by placeholders", () => {
    const plan = planned(
      boundWith([
        [":root", "read"],
        ["/r", "write"],
      ]),
      fileTree("/r/.git/"),
    );
    const held = plan.placeholders.map(({ path, kind }) => `${path} ${kind}`);
    expect(held).toContain("/r/.git folder");
    expect(held).toContain("/r/.codex folder");
    expect(held).toContain("/r/.envrc file");
    const covered = plan.mounts.flatMap((mount) =>
      mount.op === "bindReadOnly" ? [mount.path] : [],
    );
    expect(covered).toEqual(expect.arrayContaining(["/r/.git", "/r/.codex", "/r/.envrc"]));
  });

  it("covers the first missing part of a deeper path", () => {
    const rules: Rule[] = [
      [":root", "read"],
      ["/r", "write"],
      ["/r/nope/deep/x", "read"],
    ];
    const plan = planned(bare(rules), fileTree("/r/"));
    expect(plan.placeholders).toEqual([{ path: "/r/nope", kind: "folder" }]);
    expect(plan.mounts).toContainEqual({ op: "bindReadOnly", path: "/r/nope" });
  });

  it("hides what is denied and missing by its own name, and closes the folders above it", () => {
    const rules: Rule[] = [
      [":root", "read"],
      ["/r", "write"],
      ["/r/nope/x", "deny"],
      ["/r/.mcp.json", "deny"],
    ];
    const plan = planned(bare(rules), fileTree("/r/"));
    expect(new Set(plan.placeholders)).toEqual(
      new Set([
        { path: "/r/nope", kind: "folder" },
        { path: "/r/nope/x", kind: "folder" },
        { path: "/r/.mcp.json", kind: "file" },
      ]),
    );
    expect(plan.mounts).toEqual(
      expect.arrayContaining([
        { op: "bindReadOnly", path: "/r/nope" },
        { op: "hideFolder", path: "/r/nope/x", traversable: false },
        { op: "hideFile", path: "/r/.mcp.json" },
      ]),
    );
  });

  it("opens nothing in a missing folder that is denied", () => {
    const rules: Rule[] = [
      [":root", "read"],
      ["/r", "write"],
      ["/r/nope", "deny"],
      ["/r/nope/x", "read"],
    ];
    const { mounts } = planned(bare(rules), fileTree("/r/"));
    expect(mounts).toContainEqual({ op: "hideFolder", path: "/r/nope", traversable: false });
    expect(mounts).not.toContainEqual({ op: "bindReadOnly", path: "/r/nope" });
  });

  it("makes nothing for a missing path that could not be made anyway", () => {
    const rules: Rule[] = [
      [":root", "read"],
      ["/srv/nope", "deny"],
      ["/srv/gone", "write"],
    ];
    expect(planned(bare(rules), fileTree("/srv/")).placeholders).toEqual([]);
  });

  it("mounts on real paths: a denied alias hides what it leads to", () => {
    const rules: Rule[] = [
      [":root", "read"],
      ["/alias", "deny"],
    ];
    const facts = fileTree("/real/", ["/alias", "real"]);
    expect(lines(bare(rules), facts)).toContain("--perms 0000 --tmpfs /real");
  });

  it.each<[string, Rule[], FileFacts]>([
    [
      "a carve-out",
      [
        ["/r", "write"],
        ["/r/l/x", "read"],
      ],
      fileTree("/r/real/x/", ["/r/l", "real"]),
    ],
    [
      "a deny",
      [
        ["/r", "write"],
        ["/r/l", "deny"],
      ],
      fileTree("/r/real/", ["/r/l", "real"]),
    ],
    [
      "a grant",
      [
        ["/r", "write"],
        ["/r/l", "write"],
      ],
      fileTree("/etc/", "/r/", ["/r/l", "/etc"]),
    ],
  ])("refuses %s that leads through a link which the command may change", (_, rules, facts) => {
    expect(() => planned(bare([[":root", "read"], ...rules]), facts)).toThrow(
      expect.objectContaining({
        code: "unprotectablePath",
        message: expect.stringMatching(/"\/r\/l.*link "\/r\/l"/),
      }),
    );
  });

  it("refuses a loop of links", () => {
    const facts = fileTree(["/a", "b"], ["/b", "a"]);
    expect(() => planned(bare([["/a/x", "read"]]), facts)).toThrow(/links/);
  });

  it("refuses more mounts than a plan may have", () => {
    const rules = Array.from({ length: MAX_MOUNTS }, (_, index): Rule => [`/s/f${index}`, "deny"]);
    const facts = fileTree(...rules.map(([target]) => target));
    expect(() => planned(bare([[":root", "read"], ...rules]), facts)).toThrow(
      expect.objectContaining({ code: "tooManyMounts" }),
    );
  });

  it("refuses a pattern beside a rule that opens a place where it is not looked for", () => {
    const kernel = "/srv/rootfs/dev";
    const facts = {
      ...fileTree(`${kernel}/shm/p/`),
      kernelMounts: () => [parseAbsolutePath(kernel)],
    };
    const rules: Rule[] = [
      [":root", "read"],
      [`${kernel}/shm/p`, "write"],
    ];
    const pattern: Rule = ["glob:/srv/**/*.key", "deny"];
    expect(() => planned(bare([...rules, pattern]), facts)).toThrow(
      `opens "${kernel}/shm/p" in a file system of the kernel, where no pattern is looked for`,
    );
    expect(() => planned(bare(rules), facts)).not.toThrow();
  });

  it("names the pattern for which there are too many", () => {
    const matches = Array.from({ length: MAX_MOUNTS }, (_, index) => ({
      path: parseAbsolutePath(`/s/${index}.env`),
      rule: { pattern: "/s/*.env", rule: '"/s/*.env" = "deny"' },
      links: [],
    }));
    const facts = { ...fileTree("/s/"), matchesOf: () => matches };
    expect(() => planned(bare([[":root", "read"]]), facts)).toThrow(
      `${MAX_MOUNTS} of them for what "/s/*.env" = "deny" matches, expected at most`,
    );
  });

  it("says that folders which have to stay are what makes them too many", () => {
    const rule = { pattern: "/s/*/x.env", rule: '"/s/*/x.env" = "deny"' };
    const names = Array.from({ length: 140 }, (_, index) => `/s/${index}/x.env`);
    const matches = names.map((name) => ({ path: parseAbsolutePath(name), rule, links: [] }));
    const rules: Rule[] = [
      [":root", "read"],
      ["/s", "write"],
      [`glob:${rule.pattern}`, "deny"],
    ];
    const facts = { ...fileTree(...names), matchesOf: () => matches };
    expect(() => planned(bare(rules), facts)).toThrow(
      'for what "/s/*/x.env" = "deny" matches and 140 to keep folders in its reach ("**" in their place needs none), expected at most 256',
    );
  });

  it.each(["/proc/*/environ", "/dev/*.env", "/{proc,srv}/**"])(
    "refuses the pattern %s, which is written for what is the command's own",
    (pattern) => {
      const rules: Rule[] = [
        [":root", "read"],
        [`glob:${pattern}`, "deny"],
      ];
      expect(() => planned(bare(rules), fileTree("/srv/"))).toThrow(
        expect.objectContaining({
          code: "unenforceableRule",
          message: expect.stringContaining(`"${pattern}" belongs to the kernel`),
        }),
      );
    },
  );
});
