import { describe, expect, it } from "vitest";
import {
  bindProfile,
  type Candidate,
  type Ceiling,
  canSet,
  ceilingMessage,
  type PermissionProfile,
  policyForMode,
  profileOfPolicy,
  readCeiling,
  underCeiling,
} from "../../../src/policy/index.ts";
import { accesses, boundWith, HOST, profileWith, type Rule } from "../support/profiles.ts";

const PROFILES = [":read-only", ":workspace", ":danger-full-access", "dev", "ops"];
const FACTS = { source: "/etc/req", hostname: "h", folder: "/etc/writ", profiles: PROFILES };
const ceilingOf = (table: unknown): Ceiling => readCeiling(table, FACTS);
const asProfile = (rules: readonly Rule[], id?: string): Candidate => ({
  form: "profile",
  profile: profileWith(rules),
  ...(id !== undefined && { id }),
});
const denying = (...paths: string[]) =>
  ceilingOf({ permissions: { filesystem: { deny_read: paths } } });

describe("canSet", () => {
  it("allows everything under an empty table", () => {
    expect(canSet(ceilingOf({}), asProfile([[":root", "write"]], "any"))).toEqual({
      allowed: true,
    });
    expect(canSet(ceilingOf({}), { form: "policy", policy: { type: "dangerFullAccess" } })).toEqual(
      {
        allowed: true,
      },
    );
  });

  it.each<[string, Rule[], string]>([
    ["the whole disk", [[":root", "write"]], "danger-full-access"],
    [
      "the whole disk without one file",
      [
        [":root", "write"],
        ["/x", "deny"],
      ],
      "danger-full-access",
    ],
    [
      "the whole disk as a path",
      [
        ["/", "write"],
        ["/x", "read"],
      ],
      "danger-full-access",
    ],
    [
      "the whole disk folded",
      [
        ["/a/..", "write"],
        ["/x", "read"],
      ],
      "danger-full-access",
    ],
  ])("refuses %s as full access", (_, rules, candidate) => {
    const allowedSet = ["read-only", "workspace-write"];
    expect(canSet(ceilingOf({ allowed_sandbox_modes: allowedSet }), asProfile(rules))).toEqual({
      allowed: false,
      field: "sandbox_mode",
      candidate,
      allowedSet,
      source: "/etc/req",
    });
  });

  it("holds a named profile to the list and to the mode", () => {
    const table = {
      allowed_sandbox_modes: ["read-only"],
      allowed_permission_profiles: { ":read-only": true, ":workspace": true, dev: false },
    };
    const ceiling = ceilingOf(table);
    const reads: Rule[] = [[":root", "read"]];
    expect(canSet(ceiling, asProfile(reads, ":read-only"))).toEqual({ allowed: true });
    const workspace = profileOfPolicy(policyForMode("workspace-write"));
    expect(
      canSet(ceiling, { form: "profile", profile: workspace, id: ":workspace" }),
    ).toMatchObject({ field: "sandbox_mode" });
    expect(canSet(ceiling, asProfile([["/r", "write"]], ":workspace"))).toMatchObject({
      field: "default_permissions",
    });
    for (const id of ["dev", "other", "constructor", "__proto__"]) {
      expect(canSet(ceiling, asProfile(reads, id))).toEqual({
        allowed: false,
        field: "default_permissions",
        candidate: id,
        allowedSet: [":read-only", ":workspace"],
        source: "/etc/req",
      });
    }
  });

  it("lets a policy without a name pass only as the built-in profile that it equals", () => {
    const ceiling = ceilingOf({
      allowed_permission_profiles: { ":read-only": true, dev: true },
      default_permissions: "dev",
    });
    const readOnly: Candidate = { form: "policy", policy: policyForMode("read-only") };
    expect(canSet(ceiling, readOnly)).toEqual({ allowed: true });
    expect(canSet(ceiling, asProfile([[":root", "read"]]))).toEqual({ allowed: true });
    const workspace: Candidate = { form: "policy", policy: policyForMode("workspace-write") };
    expect(canSet(ceiling, workspace)).toMatchObject({
      allowed: false,
      field: "default_permissions",
      candidate: ":workspace",
      allowedSet: [":read-only", "dev"],
    });
    expect(canSet(ceiling, asProfile([["/doc", "read"]]))).toMatchObject({
      allowed: false,
      candidate: "a policy without a name",
    });
    expect(canSet(ceiling, asProfile([["/doc", "read"]], ""))).toMatchObject({ allowed: false });
  });

  it.each<[string, Rule]>([
    ["the denied path", ["/srv/secret", "read"]],
    ["a child of it", ["/srv/secret/a/b", "write"]],
  ])("refuses a grant on %s", (_, rule) => {
    const verdict = canSet(denying("/srv/secret"), asProfile([[":root", "read"], rule]));
    expect(verdict).toMatchObject({
      allowed: false,
      field: "permissions.filesystem",
      allowedSet: ["all managed deny_read restrictions"],
    });
    if (verdict.allowed) expect.unreachable();
    expect(ceilingMessage(verdict, "codex")).toBe(
      `invalid value for \`permissions.filesystem\`: \`${verdict.candidate}\` is not in the allowed set all managed deny_read restrictions (set by /etc/req)`,
    );
  });

  it.each<[string, Rule]>([
    ["above the denied path", ["/srv", "write"]],
    ["beside it", ["/srv/secrets", "write"]],
    ["and denies below it", ["/srv/secret/a", "deny"]],
  ])("allows a grant that stands %s", (_, rule) => {
    expect(canSet(denying("/srv/secret"), asProfile([rule]))).toEqual({ allowed: true });
  });

  it.each<PermissionProfile>([
    { type: "disabled" },
    { type: "external", unixSockets: "none", network: { kind: "restricted" } },
    {
      type: "managed",
      unixSockets: "none",
      fileSystem: { type: "unrestricted" },
      network: { kind: "restricted" },
    },
    profileWith([[":root", "write"]]),
  ])("refuses $type without a restriction while reads are forbidden", (profile) => {
    const verdict = canSet(denying("/srv/secret"), { form: "profile", profile });
    expect(verdict).toMatchObject({
      allowed: false,
      field: "sandbox_mode",
      allowedSet: ["read-only", "workspace-write"],
    });
  });
});

describe("ceilingMessage", () => {
  it.each([
    ["codex", "`ExternalSandbox` is not in the allowed set [ReadOnly, DangerFullAccess]"],
    ["plain", "`external-sandbox` is not in the allowed set [read-only, danger-full-access]"],
  ] as const)("spells modes the %s way", (spelling, words) => {
    const ceiling = ceilingOf({ allowed_sandbox_modes: ["read-only", "danger-full-access"] });
    const policy = { type: "externalSandbox", networkAccess: "enabled" } as const;
    const verdict = canSet(ceiling, { form: "policy", policy });
    if (verdict.allowed) expect.unreachable();
    expect(ceilingMessage(verdict, spelling)).toBe(
      `invalid value for \`sandbox_mode\`: ${words} (set by /etc/req)`,
    );
  });

  it("leaves the id of a profile as it is", () => {
    const ceiling = ceilingOf({
      allowed_permission_profiles: { dev: true },
      default_permissions: "dev",
    });
    const verdict = canSet(ceiling, asProfile([], "ops"));
    if (verdict.allowed) expect.unreachable();
    expect(ceilingMessage(verdict, "codex")).toBe(
      "invalid value for `default_permissions`: `ops` is not in the allowed set [dev] (set by /etc/req)",
    );
  });
});

describe("underCeiling", () => {
  const ceiling = denying("/r/secret", "/r/**/*.pem");

  it("hides the forced denies under a workspace that grants below them", () => {
    const bound = boundWith([
      [":root", "read"],
      ["/r", "write"],
      ["/r/secret/out", "write"],
    ]);
    expect(
      accesses(underCeiling(bound, ceiling, HOST), [
        "/r/secret",
        "/r/secret/out/f",
        "/r/a/b.pem",
        "/r/a",
        "/r/.git",
        "/srv",
      ]),
    ).toEqual({
      "/r/secret": "deny",
      "/r/secret/out/f": "deny",
      "/r/a/b.pem": "deny",
      "/r/a": "write",
      "/r/.git": "read",
      "/srv": "read",
    });
  });

  it.each<PermissionProfile>([
    { type: "disabled" },
    { type: "external", unixSockets: "none", network: { kind: "enabled" } },
    {
      type: "managed",
      unixSockets: "none",
      fileSystem: { type: "unrestricted" },
      network: { kind: "restricted" },
    },
  ])("hides them under $type too and keeps its network", (profile) => {
    const bound = bindProfile(profile, { ...HOST, externalSandbox: "trusted" });
    const held = underCeiling(bound, ceiling, HOST);
    expect(held).toMatchObject({ enforcement: "managed", network: bound.network });
    expect(accesses(held, ["/r/secret/f", "/r/x.pem", "/etc"])).toEqual({
      "/r/secret/f": "deny",
      "/r/x.pem": "deny",
      "/etc": "write",
    });
  });

  it("protects no names that the profile itself reopened", () => {
    const bound = boundWith([
      [":root", "write"],
      ["/.git", "write"],
    ]);
    expect(accesses(underCeiling(bound, ceiling, HOST), ["/.git/x", "/.aws"])).toEqual({
      "/.git/x": "write",
      "/.aws": "read",
    });
  });

  it("leaves a profile alone when nothing is forced", () => {
    const bound = boundWith([["/r", "write"]]);
    expect(underCeiling(bound, ceilingOf({}), HOST)).toBe(bound);
  });

  it("allows a policy that the same ceiling then holds", () => {
    const policy = policyForMode("workspace-write");
    expect(canSet(ceiling, { form: "policy", policy })).toEqual({ allowed: true });
  });
});
