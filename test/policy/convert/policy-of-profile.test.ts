import { describe, expect, it } from "vitest";
import {
  type PermissionProfile,
  parsePathUri,
  policyOfProfile,
  readCanonicalProfile,
  uriOfNative,
} from "../../../src/policy/index.ts";
import { profileWith, type Rule, wireOf } from "../support/profiles.ts";
import { expectRefusal } from "../support/refusal.ts";

const CWD = uriOfNative("/r");
const rules = { mode: "full", domains: {}, unixSockets: {}, allowLocalBinding: false } as const;

function projected(...entries: Rule[]) {
  return policyOfProfile(profileWith(entries), CWD);
}

describe("policyOfProfile", () => {
  it("is exact for the cwd as a path with its protections", () => {
    expect(
      projected(
        [":root", "read"],
        ["/r", "write"],
        ["/r/.git", "read", "skip"],
        ["/r/.aws", "read", "skip"],
      ),
    ).toEqual({
      kind: "exact",
      policy: {
        type: "workspaceWrite",
        writableRoots: [],
        readOnlyAccess: { type: "fullAccess" },
        networkAccess: false,
        excludeTmpdirEnvVar: true,
        excludeSlashTmp: true,
      },
    });
  });

  it("says restricted reads and platform defaults", () => {
    expect(projected([":minimal", "read"], ["/doc", "read"])).toEqual({
      kind: "exact",
      policy: {
        type: "readOnly",
        access: { type: "restricted", includePlatformDefaults: true, readableRoots: ["/doc"] },
        networkAccess: false,
      },
    });
    expect(projected()).toMatchObject({
      kind: "exact",
      policy: { access: { type: "restricted", includePlatformDefaults: false, readableRoots: [] } },
    });
  });

  it.each<[string, Rule[], string]>([
    ["a denied path", [["/r/secret", "deny"]], "deny entries"],
    ["a denied pattern", [["glob:*.env", "deny"]], "deny entries"],
    ["a read-only place in the workspace", [["/r/docs", "read"]], "read-only places"],
    ["a read-only symbol", [[":workspace_roots/docs", "read"]], "read-only places below symbols"],
    [
      "a protection that is no default",
      [[":workspace_roots/.vscode", "read", "skip"]],
      "read-only places below symbols",
    ],
    [
      "a protection without skip",
      [[":workspace_roots/.git", "read"]],
      "read-only places below symbols",
    ],
    ["platform defaults beside full read", [[":minimal", "read"]], "platform defaults"],
    ["an unknown symbol", [[":later", "write"]], "unknown symbols"],
    ["a symbol with a subpath", [[":workspace_roots/out", "write"]], "symbols"],
  ])("is lossy for %s and says what is lost", (_, more, lost) => {
    const projection = projected([":root", "read"], [":workspace_roots", "write"], ...more);
    expect(projection).toMatchObject({
      kind: "lossy",
      policy: { type: "workspaceWrite" },
      lost: [lost],
    });
  });

  it("is not exact for a default protection of a workspace that is not writable", () => {
    expect(projected([":minimal", "read"], [":workspace_roots/.git", "read", "skip"]).kind).toBe(
      "lossy",
    );
  });

  it("names each loss once", () => {
    expect(
      projected([":root", "read"], ["/a", "deny"], ["/b", "deny"], ["glob:/c*", "deny"]),
    ).toMatchObject({
      kind: "lossy",
      lost: ["deny entries"],
    });
  });

  it("says a place below the workspace as the path it has now", () => {
    const projection = projected([":workspace_roots", "write"], [":workspace_roots/.git", "write"]);
    expect(projection.policy).toMatchObject({ writableRoots: ["/r/.git"] });
  });

  it.each<[PermissionProfile, string, string[]]>([
    [{ type: "disabled", limits: { processes: 1 } }, "dangerFullAccess", ["limits"]],
    [
      { type: "external", unixSockets: "none", network: { kind: "ruled", rules } },
      "externalSandbox",
      ["network rules"],
    ],
    [
      {
        type: "managed",
        unixSockets: "none",
        fileSystem: { type: "unrestricted" },
        network: { kind: "enabled" },
      },
      "dangerFullAccess",
      ["that writ enforces it"],
    ],
    [
      {
        type: "managed",
        unixSockets: "none",
        fileSystem: { type: "unrestricted" },
        network: { kind: "restricted" },
      },
      "externalSandbox",
      ["that writ enforces it"],
    ],
  ])("is lossy for %j", (profile, type, lost) => {
    expect(policyOfProfile(profile, CWD)).toMatchObject({ kind: "lossy", policy: { type }, lost });
  });

  it("never says that a ruled network is on", () => {
    const ruled = { kind: "ruled", rules } as const;
    expect(
      policyOfProfile({ type: "external", unixSockets: "none", network: ruled }, CWD).policy,
    ).toEqual({
      type: "externalSandbox",
      networkAccess: "restricted",
    });
    const readOnly = { ...profileWith([[":root", "read"]]), network: ruled } as PermissionProfile;
    expect(policyOfProfile(readOnly, CWD).policy).toMatchObject({ networkAccess: false });
  });

  it("takes a fully writable disk for what it is", () => {
    expect(projected([":root", "write"], ["/x", "read", "skip"]).policy.type).toBe(
      "externalSandbox",
    );
    const enabled = readCanonicalProfile(wireOf([["/", "write"]], { network: "enabled" }));
    expect(policyOfProfile(enabled, CWD).policy.type).toBe("dangerFullAccess");
  });

  it("compares the cwd as Windows does when it is a Windows path", () => {
    const profile = profileWith([
      [":root", "read"],
      ["C:\\Work", "write"],
    ]);
    expect(policyOfProfile(profile, uriOfNative("c:\\work")).policy).toMatchObject({
      type: "workspaceWrite",
      writableRoots: [],
    });
  });

  it("refuses a root that has no native spelling", () => {
    const path = parsePathUri("file:///srv%2Fx");
    const profile: PermissionProfile = {
      type: "managed",
      unixSockets: "none",
      fileSystem: {
        type: "restricted",
        entries: [
          { target: { type: "workspaceRoots" }, access: "write" },
          { target: { type: "path", path }, access: "write" },
        ],
      },
      network: { kind: "restricted" },
    };
    expectRefusal(() => policyOfProfile(profile, CWD), "unrepresentable", path);
  });

  it.each<[string, Rule[]]>([
    [
      "root with a carve-out",
      [
        [":root", "write"],
        ["/x", "deny"],
      ],
    ],
    [
      "root beside the workspace",
      [
        [":root", "write"],
        [":workspace_roots", "write"],
        ["/x", "read"],
      ],
    ],
    ["the platform defaults", [[":minimal", "write"]]],
    ["an extra root only", [["/data", "write"]]],
  ])("refuses writes on %s", (_, entries) => {
    expectRefusal(() => projected(...entries), "unrepresentable", "outside the workspace");
  });
});
