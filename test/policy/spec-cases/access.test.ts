import { describe, expect, it } from "vitest";
import {
  accessTo,
  parseAbsolutePath as at,
  bindProfile,
  modeOfProfile,
  policyOfProfile,
  readCanonicalProfile,
  uriOfNative,
  writeCanonicalProfile,
} from "../../../src/policy/index.ts";
import { accesses, boundWith, HOST, profileWith, type Rule, wireOf } from "../support/profiles.ts";
import { expectRefusal } from "../support/refusal.ts";

const BASE: readonly Rule[] = [
  [":root", "read"],
  [":workspace_roots", "write"],
];
const CWD = uriOfNative("/r");

function expectAccess(rules: readonly Rule[], expected: Record<string, string>): void {
  expect(accesses(boundWith(rules), Object.keys(expected))).toEqual(expected);
}

describe("access by entries", () => {
  it.each<[string, readonly Rule[], Record<string, string>]>([
    [
      "case 1: the most specific entry decides at every level",
      [
        ...BASE,
        ["/r/docs", "read"],
        ["/r/docs/private", "deny"],
        ["/r/docs/private/public", "write"],
      ],
      {
        "/r": "write",
        "/r/docs": "read",
        "/r/docs/private": "deny",
        "/r/docs/private/x": "deny",
        "/r/docs/private/public": "write",
      },
    ],
    [
      "case 2: write beats read on one path",
      [
        [":root", "read"],
        ["/r/a", "write"],
        ["/r/a", "read"],
      ],
      { "/r/a": "write" },
    ],
    [
      "case 3: deny beats write on one path",
      [...BASE, ["/r/a", "deny"], ["/r/a", "write"]],
      { "/r/a": "deny", "/r/a/b": "deny" },
    ],
    ["case 4: the older word none denies", [...BASE, ["/r/a", "none"]], { "/r/a": "deny" }],
    ["case 5: denies what no entry covers", [["/r", "read"]], { "/r": "read", "/s": "deny" }],
    [
      "case 6: compares whole names, not text",
      [
        [":root", "read"],
        ["/r/a", "write"],
      ],
      { "/r/a/f": "write", "/r/ab/f": "read" },
    ],
    [
      "case 7: minds the case of names",
      [
        [":root", "read"],
        ["/r/dir", "write"],
      ],
      { "/r/dir/f": "write", "/r/Dir/f": "read" },
    ],
    [
      "case 8: folds .. in an entry",
      [
        [":root", "read"],
        ["/r/a/../b", "write"],
      ],
      { "/r/b": "write", "/r/a": "read" },
    ],
    ["case 9: drops a trailing slash", [["/r/b/", "write"]], { "/r/b": "write", "/r": "deny" }],
    [
      "case 14: reopens a writable child under a denied folder",
      [
        [":root", "read"],
        ["/r/d", "deny"],
        ["/r/d/w", "write"],
      ],
      { "/r/d": "deny", "/r/d/x": "deny", "/r/d/w/f": "write" },
    ],
    [
      "case 15: reads what read reopens inside deny, which Codex on Linux keeps hidden",
      [
        [":root", "read"],
        ["/r/d", "deny"],
        ["/r/d/doc", "read"],
      ],
      { "/r/d": "deny", "/r/d/doc/f": "read" },
    ],
    [
      "case 16: alternates write, read, write and deny down one path",
      [
        ["/r/a", "write"],
        ["/r/a/b", "read"],
        ["/r/a/b/c", "write"],
        ["/r/a/b/c/d", "deny"],
      ],
      { "/r/a": "write", "/r/a/b": "read", "/r/a/b/c": "write", "/r/a/b/c/d": "deny" },
    ],
    [
      "case 17: hides one file of a read-only folder",
      [
        [":workspace_roots", "write"],
        ["/r/d", "read"],
        ["/r/d/b", "deny"],
      ],
      { "/r/d/a": "read", "/r/d/b": "deny" },
    ],
    [
      "case 18: opens only the platform defaults for :minimal",
      [[":minimal", "read"]],
      { "/etc/hosts": "read", "/usr/bin": "read", "/r/f": "deny", "/": "deny" },
    ],
    [
      "case 19: hides a denied child of one read root",
      [
        [":minimal", "read"],
        ["/r", "read"],
        ["/r/secret", "deny"],
      ],
      { "/r/f": "read", "/r/secret/f": "deny", "/srv": "deny" },
    ],
    [
      "case 25: binds a grant on a path that no disk has",
      [["/no/such/place/at/all", "write"]],
      { "/no/such/place/at/all/f": "write" },
    ],
    ["case 27: grants nothing by an unknown symbol", [[":later", "write"]], { "/r": "deny" }],
    [
      "case 30: write on :slash_tmp beats read on /tmp",
      [
        ["/tmp", "read"],
        [":slash_tmp", "write"],
      ],
      {
        "/tmp/f": "write",
      },
    ],
    [
      "case 35: applies a deny on a path that looks like a drive or a share",
      [
        [":root", "write"],
        ["/C:/secret", "deny"],
        ["//server/share/x", "deny"],
      ],
      {
        "/C:/secret/f": "deny",
        "/C:/open": "write",
        "/server/share/x": "deny",
        "/server": "write",
      },
    ],
    [
      "case 36: leaves nothing writable where write and deny meet",
      [
        ["/r/a", "write"],
        ["/r/a", "deny"],
      ],
      { "/r/a": "deny", "/r/a/b": "deny", "/r": "deny" },
    ],
  ])("%s", (_, rules, expected) => expectAccess(rules, expected));

  it("case 29: protects .git in a writable /tmp", () => {
    expectAccess([[":slash_tmp", "write"]], {
      "/tmp/f": "write",
      "/tmp/.git": "read",
      "/tmp/.git/hooks/x": "read",
      "/tmp/a/.git": "write",
    });
  });
});

describe("the whole disk", () => {
  const CARVED: readonly Rule[] = [
    [":root", "write"],
    ["/docs", "read"],
  ];

  it("case 10: is not fully writable with a read-only child, and no policy says so", () => {
    expectAccess(CARVED, { "/docs": "read", "/x": "write" });
    expect(modeOfProfile(profileWith(CARVED))).toBe("workspace-write");
    expectRefusal(() => policyOfProfile(profileWith(CARVED), CWD), "unrepresentable", "outside");
  });

  it("case 11: is fully writable when write overrides the carve-out", () => {
    const rules: readonly Rule[] = [...CARVED, ["/docs", "write"]];
    expectAccess(rules, { "/docs": "write" });
    expect(modeOfProfile(profileWith(rules))).toBe("danger-full-access");
  });

  it("case 12: is hidden when root is both writable and denied", () => {
    const rules: readonly Rule[] = [
      [":root", "write"],
      [":root", "deny"],
    ];
    expectAccess(rules, { "/": "deny", "/r/f": "deny" });
    expect(modeOfProfile(profileWith(rules))).not.toBe("danger-full-access");
  });

  it("case 13: keeps a named folder readable under a denied root", () => {
    expectAccess(
      [
        [":root", "deny"],
        ["/docs", "read"],
        [":minimal", "read"],
      ],
      {
        "/docs/f": "read",
        "/usr/bin": "read",
        "/srv": "deny",
      },
    );
  });
});

describe("symbols", () => {
  it("case 28: reads current_working_directory as the workspace and writes project_roots", () => {
    const profile = profileWith([[":cwd", "write"]]);
    expect(accessTo(bindProfile(profile, HOST), at("/r/f"))).toBe("write");
    expect(writeCanonicalProfile(profile, "refuse")).toEqual(
      wireOf([[":workspace_roots", "write"]]),
    );
  });

  it("case 31: opens the host's TMPDIR and nothing when it is unset", () => {
    const rules: readonly Rule[] = [[":tmpdir", "write"]];
    expect(accesses(boundWith(rules), ["/scratch/f", "/tmp"])).toEqual({
      "/scratch/f": "write",
      "/tmp": "deny",
    });
    expect(accesses(boundWith(rules, { tmpdir: undefined }), ["/scratch/f"])).toEqual({
      "/scratch/f": "deny",
    });
  });

  it.each([
    [":workspace_roots/", "/r", "/s"],
    [":workspace_roots/.", "/r", "/s"],
    [":workspace_roots/a", "/r/a", "/r/b"],
    [":workspace_roots/a/./b/", "/r/a/b", "/r/a"],
  ])("case 32: binds %s below the root", (target, open, closed) => {
    const bound = boundWith([[target, "write"]]);
    expect(accesses(bound, [open, closed])).toEqual({ [open]: "write", [closed]: "deny" });
  });

  it("case 32: refuses an absolute subpath, which Codex lets replace the root", () => {
    const read = () => profileWith([[":workspace_roots//etc", "write"]]);
    expectRefusal(read, "invalidPath", 'entries[0].path.value.subpath": Cannot use subpath "/etc"');
  });

  it.each(["C:\\x", "\\\\server\\share\\x"])(
    "case 33: refuses a deny on %s, a path of another system, which Codex accepts and drops",
    (path) => {
      const profile = profileWith([...BASE, [path, "deny"]]);
      expectRefusal(() => bindProfile(profile, HOST), "unbindable", "is invalid on 'linux'");
    },
  );

  it.each(["a/b", "./a", "~", "~/a", "", "C:a", "file:///a"])(
    "case 34: refuses %j, which is not absolute",
    (path) => {
      const read = () => readCanonicalProfile(wireOf([[path, "read"]]));
      expectRefusal(read, "invalidPath", `entries[0].path.path": path \`${path}\` is not absolute`);
    },
  );
});
