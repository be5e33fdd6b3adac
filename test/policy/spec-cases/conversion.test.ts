import { describe, expect, it } from "vitest";
import {
  bindProfile,
  policyOfProfile,
  preserveDenies,
  profileOfPolicy,
  readCanonicalProfile,
  type SandboxPolicy,
  uriOfNative,
  writeCanonicalProfile,
} from "../../../src/policy/index.ts";
import { accesses, boundWith, HOST, profileWith, type Rule, wireOf } from "../support/profiles.ts";
import { expectRefusal } from "../support/refusal.ts";

const CWD = uriOfNative("/r");
const FULL = { type: "fullAccess" } as const;

describe("binding to roots", () => {
  it("case 79: expands each entry to every root before the next entry", () => {
    const rules: readonly Rule[] = [
      [":workspace_roots", "write"],
      [":workspace_roots/.git", "read"],
      ["glob:codex-project-roots://**/*.env", "deny"],
    ];
    const { files } = boundWith(rules, ["/a", "/b"]);
    if (files.type === "unrestricted") expect.unreachable("the profile is restricted");
    expect(files.entries.map(({ path, access }) => [path, access])).toEqual([
      ["/a", "write"],
      ["/b", "write"],
      ["/a/.git", "read"],
      ["/b/.git", "read"],
    ]);
    expect(files.globs.map(({ pattern }) => pattern)).toEqual(["/a/**/*.env", "/b/**/*.env"]);
  });
});

describe("policies and profiles", () => {
  const policies: SandboxPolicy[] = [
    { type: "dangerFullAccess" },
    { type: "externalSandbox", networkAccess: "restricted" },
    { type: "externalSandbox", networkAccess: "enabled" },
    { type: "readOnly", access: FULL, networkAccess: false },
    { type: "readOnly", access: FULL, networkAccess: true },
    {
      type: "readOnly",
      access: { type: "restricted", includePlatformDefaults: false, readableRoots: ["/a", "/b"] },
      networkAccess: false,
    },
    {
      type: "workspaceWrite",
      writableRoots: ["/data", "C:\\odd"],
      readOnlyAccess: FULL,
      networkAccess: true,
      excludeTmpdirEnvVar: true,
      excludeSlashTmp: false,
    },
    {
      type: "workspaceWrite",
      writableRoots: [],
      readOnlyAccess: { type: "restricted", includePlatformDefaults: true, readableRoots: ["/a"] },
      networkAccess: false,
      excludeTmpdirEnvVar: false,
      excludeSlashTmp: true,
    },
  ];

  it.each(policies.map((policy) => [policy.type, policy] as const))(
    "case 80: a %s policy survives the way through a profile",
    (_, policy) => {
      expect(policyOfProfile(profileOfPolicy(policy), CWD)).toEqual({ kind: "exact", policy });
    },
  );

  it("case 80: an extra root that looks like a drive survives too", () => {
    const policy: SandboxPolicy = {
      type: "workspaceWrite",
      writableRoots: ["/C:/odd"],
      readOnlyAccess: FULL,
      networkAccess: false,
      excludeTmpdirEnvVar: false,
      excludeSlashTmp: false,
    };
    expect(policyOfProfile(profileOfPolicy(policy), CWD)).toEqual({ kind: "exact", policy });
  });

  it.each<[string, readonly Rule[]]>([
    ["a path outside the cwd", [["/data", "write"]]],
    ["only :tmpdir", [[":tmpdir", "write"]]],
    ["only :slash_tmp", [[":slash_tmp", "write"]]],
    ["a folder of the workspace", [[":workspace_roots/out", "write"]]],
    ["a path of another system", [["C:\\data", "write"]]],
  ])("case 81: refuses to say writes on %s as a policy", (_, rules) => {
    const project = () => policyOfProfile(profileWith([[":root", "read"], ...rules]), CWD);
    expectRefusal(project, "unrepresentable", "outside the workspace");
  });

  it("case 82: a preserved deny pattern turns unrestricted into root write and a deny", () => {
    const current = readCanonicalProfile(
      wireOf([], {
        file_system: {
          type: "restricted",
          entries: [
            { path: { type: "glob_pattern", pattern: "/r/**/*.env" }, access: "deny" },
            { path: { type: "path", path: "/r" }, access: "write" },
          ],
          glob_scan_max_depth: 2,
        },
      }),
    );
    const next = readCanonicalProfile(wireOf([], { file_system: { type: "unrestricted" } }));
    const kept = preserveDenies(current, next, { mayDropDenies: false });
    const expected = wireOf([
      [":root", "write"],
      ["glob:/r/**/*.env", "deny"],
    ]);
    expect(writeCanonicalProfile(kept, "refuse")).toEqual({
      ...expected,
      file_system: { ...expected.file_system, glob_scan_max_depth: 2 },
    });
  });

  it("case 89: lists the root that is not the cwd", () => {
    const rules: readonly Rule[] = [
      [":root", "read"],
      ["/a", "write"],
      ["/b", "write"],
    ];
    expect(policyOfProfile(profileWith(rules), uriOfNative("/a")).policy).toMatchObject({
      type: "workspaceWrite",
      writableRoots: ["/b"],
    });
  });

  it("case 90: keeps both a base deny and a later grant below it, and the closer one decides", () => {
    const merged = profileWith([
      [":root", "read"],
      ["/r/secret", "deny"],
      ["/r/secret/out", "write"],
    ]);
    expect(accesses(bindProfile(merged, HOST), ["/r/secret/key", "/r/secret/out/f"])).toEqual({
      "/r/secret/key": "deny",
      "/r/secret/out/f": "write",
    });
  });
});
