import { describe, expect, it } from "vitest";
import {
  parseAbsolutePath as at,
  bindProfile,
  boundDigest,
  NetworkRules,
  narrow,
  type PermissionProfile,
  profileDigest,
} from "../../../src/policy/index.ts";
import { boundWith, HOST, profileWith, type Rule } from "../support/profiles.ts";

const RULES: Rule[] = [
  [":root", "read"],
  ["/r", "write"],
  ["/r/a", "deny"],
  ["glob:/r/*.env", "deny"],
];
const ruled = (rules: object): PermissionProfile => ({
  type: "external",
  unixSockets: "none",
  network: { kind: "ruled", rules: NetworkRules.parse(rules) },
});
const limited = (limits: object): PermissionProfile => ({ type: "disabled", limits });
const managed = (
  more: Partial<Extract<PermissionProfile, { type: "managed" }>>,
): PermissionProfile => ({
  type: "managed",
  unixSockets: "none",
  fileSystem: { type: "restricted", entries: [] },
  network: { kind: "restricted" },
  ...more,
});

/** Profiles of which no two allow the same. */
const DIFFERENT: PermissionProfile[] = [
  { type: "disabled" },
  limited({ processes: 1 }),
  limited({ processes: 2 }),
  limited({ openFiles: 1 }),
  { type: "external", unixSockets: "none", network: { kind: "restricted" } },
  { type: "external", unixSockets: "none", network: { kind: "enabled" } },
  ruled({}),
  ruled({ mode: "limited" }),
  ruled({ allowLocalBinding: true }),
  ruled({ ports: [] }),
  ruled({ ports: [443] }),
  ruled({ ports: [80, 443] }),
  ruled({ domains: { a: "allow" } }),
  ruled({ domains: { a: "deny" } }),
  ruled({ domains: { "*.a": "allow" } }),
  ruled({ unixSockets: { "/a": "allow" } }),
  managed({}),
  managed({ fileSystem: { type: "unrestricted" } }),
  managed({ network: { kind: "enabled" } }),
  managed({ limits: { wallTimeMs: 1 } }),
  managed({ fileSystem: { type: "restricted", entries: [], globScanMaxDepth: 1 } }),
  profileWith([["/a", "read"]]),
  profileWith([["/a", "write"]]),
  profileWith([["/a", "deny"]]),
  profileWith([["/a", "read", "skip"]]),
  profileWith([["/b", "read"]]),
  profileWith([[":root", "read"]]),
  profileWith([[":workspace_roots", "read"]]),
  profileWith([[":workspace_roots/a", "read"]]),
  profileWith([[":x", "read"]]),
  profileWith([["glob:/a", "deny"]]),
  profileWith([["glob:a", "deny"]]),
  profileWith([["glob:codex-project-roots://a", "deny"]]),
  profileWith(RULES),
];

describe("profileDigest", () => {
  it("is the same for any order and for repetitions", () => {
    const digest = profileDigest(profileWith(RULES));
    expect(profileDigest(profileWith(RULES.toReversed()))).toBe(digest);
    expect(profileDigest(profileWith([...RULES, ...RULES]))).toBe(digest);
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
  });

  it("is the same for any order of rules within the network", () => {
    const one = ruled({ domains: { a: "allow", b: "deny" }, ports: [1, 2, 2] });
    expect(profileDigest(ruled({ ports: [2, 1], domains: { b: "deny", a: "allow" } }))).toBe(
      profileDigest(one),
    );
  });

  it("is the same for any order of limits", () => {
    expect(profileDigest(limited({ processes: 1, openFiles: 2 }))).toBe(
      profileDigest(limited({ openFiles: 2, processes: 1 })),
    );
  });

  it("differs between all profiles that differ", () => {
    expect(new Set(DIFFERENT.map(profileDigest)).size).toBe(DIFFERENT.length);
  });
});

describe("boundDigest", () => {
  const digest = boundDigest(boundWith(RULES));

  it("is the same for any order, for repetitions and for other words", () => {
    expect(boundDigest(boundWith(RULES.toReversed()))).toBe(digest);
    expect(boundDigest(boundWith([...RULES, ...RULES]))).toBe(digest);
    expect(
      boundDigest(boundWith([["/", "read"], [":workspace_roots", "write"], ...RULES.slice(2)])),
    ).toBe(digest);
  });

  it("is the same for the roots in another order", () => {
    expect(boundDigest(boundWith(RULES, ["/r", "/s"]))).toBe(
      boundDigest(boundWith(RULES, ["/s", "/r"])),
    );
  });

  it("is another than that of the symbolic profile", () => {
    const disabled: PermissionProfile = { type: "disabled" };
    expect(boundDigest(bindProfile(disabled, HOST))).not.toBe(profileDigest(disabled));
  });

  it.each<[string, Partial<typeof HOST>]>([
    ["cwd", { cwd: at("/s") }],
    ["workspace roots", { workspaceRoots: [at("/r"), at("/s")] }],
    ["no workspace roots", { workspaceRoots: [] }],
    ["TMPDIR", { tmpdir: at("/else") }],
    ["no TMPDIR", { tmpdir: undefined }],
    ["/tmp", { slashTmp: undefined }],
    ["protected names", { protectedNames: HOST.protectedNames.slice(1) }],
  ])("differs for another %s", (_, facts) => {
    expect(boundDigest(boundWith(RULES, facts))).not.toBe(digest);
  });

  it("differs between all profiles that differ on this host", () => {
    const bindable = DIFFERENT.filter((profile) => {
      const [only] =
        profile.type === "managed" && profile.fileSystem.type === "restricted"
          ? profile.fileSystem.entries
          : [];
      // These bind to the same paths as their neighbours in the list.
      return only?.missing !== "skip" && only?.target.type !== "unknown";
    });
    const host = { ...HOST, externalSandbox: "trusted" } as const;
    const digests = bindable.map((profile) => boundDigest(bindProfile(profile, host)));
    expect(new Set(digests).size).toBe(bindable.length);
  });

  it("does not depend on the order of two sets of network rules", () => {
    const [a, b] = [
      bindProfile(ruled({ ports: [1] }), HOST),
      bindProfile(ruled({ ports: [2] }), HOST),
    ];
    expect(boundDigest(narrow(a, b))).toBe(boundDigest(narrow(b, a)));
    expect(boundDigest(narrow(a, b))).not.toBe(boundDigest(a));
  });
});
