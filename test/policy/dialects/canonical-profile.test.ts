import { describe, expect, it } from "vitest";
import {
  type PermissionProfile,
  parsePathUri,
  readCanonicalProfile,
  writeCanonicalProfile,
} from "../../../src/policy/index.ts";
import { profileWith, type Rule, wireOf } from "../support/profiles.ts";
import { expectRefusal } from "../support/refusal.ts";

const EVERY_TARGET: readonly Rule[] = [
  [":root", "read"],
  [":minimal", "read"],
  [":tmpdir", "write"],
  [":slash_tmp", "deny"],
  [":workspace_roots", "write"],
  [":workspace_roots/.git", "read", "skip"],
  [":later", "read"],
  [":later/a/b", "deny"],
  ["/a b/%/é", "write"],
  ["/C:/x", "deny"],
  ["C:\\a\\b", "read"],
  ["\\\\server\\share\\x", "deny"],
  ["glob:/r/**/*.env", "deny"],
  ["glob:*.key", "deny", "skip"],
  ["glob:codex-project-roots://**/*.pem", "deny"],
  ["glob:C:\\secrets\\*", "deny"],
];

describe("readCanonicalProfile", () => {
  it("reads every target and writes it back", () => {
    const value = wireOf(EVERY_TARGET);
    const profile = readCanonicalProfile(value);
    expect(writeCanonicalProfile(profile, "refuse")).toEqual(value);
    expect(readCanonicalProfile(writeCanonicalProfile(profile, "refuse"))).toEqual(profile);
  });

  it("keeps every target in the one form", () => {
    expect(
      profileWith([
        [":slash_tmp", "write"],
        [":workspace_roots/a//b/", "read", "skip"],
        [":x", "read"],
        ["/a", "none"],
        ["glob:codex-project-roots://*.env", "none"],
        ["glob:/a/*", "deny"],
      ]),
    ).toEqual({
      type: "managed",
      unixSockets: "none",
      network: { kind: "restricted" },
      fileSystem: {
        type: "restricted",
        entries: [
          { target: { type: "slashTmp" }, access: "write" },
          { target: { type: "workspaceRoots", subpath: "a/b" }, access: "read", missing: "skip" },
          { target: { type: "unknown", token: ":x" }, access: "read" },
          { target: { type: "path", path: "file:///a" }, access: "deny" },
          { target: { type: "glob", base: "workspaceRoots", pattern: "*.env" }, access: "deny" },
          { target: { type: "glob", base: "absolute", pattern: "/a/*" }, access: "deny" },
        ],
      },
    });
  });

  it.each<[unknown, PermissionProfile]>([
    [{ type: "disabled" }, { type: "disabled" }],
    [
      { type: "external", network: "enabled" },
      { type: "external", unixSockets: "none", network: { kind: "enabled" } },
    ],
    [
      { type: "managed", file_system: { type: "unrestricted" }, network: "enabled" },
      {
        type: "managed",
        unixSockets: "none",
        fileSystem: { type: "unrestricted" },
        network: { kind: "enabled" },
      },
    ],
    [
      {
        type: "managed",
        file_system: { type: "restricted", entries: [], glob_scan_max_depth: 4 },
        network: "restricted",
      },
      {
        type: "managed",
        unixSockets: "none",
        fileSystem: { type: "restricted", entries: [], globScanMaxDepth: 4 },
        network: { kind: "restricted" },
      },
    ],
  ])("reads %j and writes it back", (value, profile) => {
    expect(readCanonicalProfile(value)).toEqual(profile);
    expect(writeCanonicalProfile(profile, "refuse")).toEqual(value);
  });

  it("writes neither none nor current_working_directory", () => {
    const text = JSON.stringify(writeCanonicalProfile(profileWith([[":cwd/a", "none"]]), "refuse"));
    expect(text).toContain('"kind":"project_roots","subpath":"a"');
    expect(text).toContain('"access":"deny"');
  });

  it("takes null for what may be left out", () => {
    const entry = {
      path: { type: "special", value: { kind: "project_roots", subpath: null } },
      access: "write",
      missing_path_behavior: null,
    };
    const value = wireOf([], {
      file_system: { type: "restricted", entries: [entry], glob_scan_max_depth: null },
    });
    expect(readCanonicalProfile(value)).toEqual(profileWith([[":workspace_roots", "write"]]));
  });
});

describe("the pre-tagged form", () => {
  const nothing = profileWith([]);

  it.each([
    [{}],
    [{ network: null, file_system: null }],
    [{ network: {}, file_system: {} }],
    [{ network: { enabled: false } }],
    [{ network: { enabled: null }, file_system: { entries: null } }],
    [{ file_system: { read: null, write: [] } }],
  ])("reads %j as nothing allowed", (value) => {
    expect(readCanonicalProfile(value)).toEqual(nothing);
  });

  it("reads lists, entries, depth and network", () => {
    expect(readCanonicalProfile({ file_system: { write: ["/w"], read: ["/a"] } })).toEqual(
      profileWith([
        ["/a", "read"],
        ["/w", "write"],
      ]),
    );
    const { entries } = wireOf([["/a", "none"]]).file_system;
    const value = { network: { enabled: true }, file_system: { entries, glob_scan_max_depth: 2 } };
    expect(readCanonicalProfile(value)).toMatchObject({
      network: { kind: "enabled" },
      fileSystem: { entries: [{ access: "deny" }], globScanMaxDepth: 2 },
    });
  });

  it.each<[unknown, string]>([
    [{ files: {} }, '"files"'],
    [{ network: { enabled: true, domains: {} } }, '"domains"'],
    [{ network: { enabled: "yes" } }, "permissionProfile.network.enabled"],
    [{ network: "enabled" }, "permissionProfile.network"],
    [{ file_system: { deny: ["/a"] } }, "permissionProfile.file_system"],
    [{ file_system: { read: ["/a"], entries: [] } }, "permissionProfile.file_system"],
    [{ file_system: { read: ["/a"], glob_scan_max_depth: 1 } }, "permissionProfile.file_system"],
    [{ file_system: { entries: [], glob_scan_max_depth: 0 } }, "permissionProfile.file_system"],
  ])("refuses %j", (value, named) => {
    expect(() => readCanonicalProfile(value)).toThrow(named);
  });

  it("refuses a relative path and says that it is relative", () => {
    const read = () => readCanonicalProfile({ file_system: { read: ["a"] } });
    expectRefusal(read, "invalidPath", "file_system.read[0]");
  });
});

describe("writeCanonicalProfile", () => {
  const rules = {
    mode: "full",
    domains: { "a.example": "allow" },
    unixSockets: {},
    allowLocalBinding: false,
  } as const;
  const ruled: PermissionProfile = {
    type: "external",
    unixSockets: "none",
    network: { kind: "ruled", rules },
  };
  const managed: PermissionProfile = {
    type: "managed",
    unixSockets: "none",
    fileSystem: { type: "unrestricted" },
    network: { kind: "ruled", rules },
    limits: { wallTimeMs: 5 },
  };

  it.each<[PermissionProfile, string]>([
    [{ type: "disabled", limits: { processes: 1 } }, "limits"],
    [ruled, "network rules"],
    [managed, "limits and network rules"],
  ])("refuses %j without an extension", (profile, named) => {
    expectRefusal(() => writeCanonicalProfile(profile, "refuse"), "unrepresentable", named);
  });

  it.each([ruled, managed])("carries rules beside the word restricted", (profile) => {
    const written = writeCanonicalProfile(profile, "carry");
    expect(written).toMatchObject({ network: "restricted", writ: { network: rules } });
    expect(readCanonicalProfile(JSON.parse(JSON.stringify(written)))).toEqual(profile);
  });

  it("writes no extension when there is nothing to carry", () => {
    expect(writeCanonicalProfile({ type: "disabled" }, "carry")).toEqual({ type: "disabled" });
  });

  it.each([
    ["disabled", { type: "disabled", writ: { network: {} } }],
    ["enabled", { type: "external", network: "enabled", writ: { network: {} } }],
  ])("refuses network rules beside %s", (_, value) => {
    expectRefusal(() => readCanonicalProfile(value), "malformed", "writ.network");
  });

  it.each([
    [{ limits: { processes: 0 } }, "writ.limits.processes"],
    [{ limits: { threads: 4 } }, '"threads"'],
    [{ later: true }, '"later"'],
    [{ network: { domains: { "a:80": "allow" } } }, '"a:80"'],
    [{ network: { ports: [0] } }, "writ.network.ports[0]"],
    [null, "permissionProfile.writ"],
  ])("refuses the extension %j", (writ, named) => {
    const read = () => readCanonicalProfile({ type: "external", network: "restricted", writ });
    expect(read).toThrow(named);
  });

  it.each(["file:///srv%2Fx", "file:///a/%FF", "file:///%00/bad/path/L3Nydg", "file:///a%00b"])(
    "refuses to spell %s as a native path",
    (text) => {
      const path = parsePathUri(text);
      const profile: PermissionProfile = {
        type: "managed",
        unixSockets: "none",
        fileSystem: {
          type: "restricted",
          entries: [{ target: { type: "path", path }, access: "read" }],
        },
        network: { kind: "restricted" },
      };
      const message = "permission path cannot be represented losslessly";
      expectRefusal(() => writeCanonicalProfile(profile, "carry"), "unrepresentable", message);
    },
  );
});
