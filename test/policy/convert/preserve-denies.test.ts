import { describe, expect, it } from "vitest";
import {
  accessTo,
  bindProfile,
  type PermissionProfile,
  parseAbsolutePath,
  policyForMode,
  preserveDenies,
  profileOfPolicy,
  readCanonicalProfile,
  type SandboxPolicy,
} from "../../../src/policy/index.ts";
import { HOST, profileWith, type Rule, wireOf } from "../support/profiles.ts";
import { expectRefusal } from "../support/refusal.ts";

const KEEP = { mayDropDenies: false };
const DENIES: Rule[] = [
  ["/r/secret", "deny"],
  ["glob:/r/**/*.env", "deny"],
];

function profile(rules: readonly Rule[], depth?: number): PermissionProfile {
  const wire = wireOf(rules);
  const files = { ...wire.file_system, ...(depth && { glob_scan_max_depth: depth }) };
  return readCanonicalProfile({ ...wire, file_system: files });
}

const current = profile([[":root", "read"], ...DENIES], 2);

describe("preserveDenies", () => {
  it("appends the denies of the current profile to the grants of the next", () => {
    const next = profile([["/a", "write"]]);
    expect(preserveDenies(current, next, KEEP)).toEqual(profile([["/a", "write"], ...DENIES], 2));
  });

  it("writes a deny once", () => {
    const next = profile([
      ["/r/secret", "deny"],
      ["/a", "write"],
    ]);
    expect(preserveDenies(current, next, KEEP)).toEqual(
      profile(
        [
          ["/r/secret", "deny"],
          ["/a", "write"],
          ["glob:/r/**/*.env", "deny"],
        ],
        2,
      ),
    );
  });

  it("gives a profile without a sandbox one that can deny", () => {
    const next: PermissionProfile = { type: "disabled", limits: { processes: 3 } };
    expect(preserveDenies(current, next, KEEP)).toEqual({
      ...profile([[":root", "write"], ...DENIES], 2),
      network: { kind: "enabled" },
      limits: { processes: 3 },
    });
  });

  it("refuses a grant inside a denied place, which would lift the deny", () => {
    const next = profile([["/r/secret/keys", "write"]]);
    expectRefusal(() => preserveDenies(current, next, KEEP), "widens", "/r/secret/keys");
  });

  it("keeps a place open that the current profile opens inside its deny", () => {
    const open: Rule = ["/r/secret/out", "write"];
    const both = preserveDenies(profile([...DENIES, open]), profile([open]), KEEP);
    expect(both).toEqual(profile([open, ...DENIES]));
  });

  it("drops the default protections of an override that lie inside a denied place", () => {
    const next = profileOfPolicy({
      ...policyForMode("workspace-write"),
      writableRoots: ["/r"],
    } as SandboxPolicy);
    const kept = preserveDenies(profile([["/r/.git", "deny"]]), next, KEEP);
    expect(accessTo(bindProfile(kept, HOST), parseAbsolutePath("/r/.git/config"))).toBe("deny");
  });

  it("keeps limits and network rules that the next profile does not state", () => {
    const rules = {
      mode: "limited",
      domains: {},
      unixSockets: {},
      allowLocalBinding: false,
    } as const;
    const ruled: PermissionProfile = {
      type: "managed",
      unixSockets: "none",
      fileSystem: { type: "unrestricted" },
      network: { kind: "ruled", rules },
      limits: { processes: 5 },
    };
    const next: PermissionProfile = { ...ruled, network: { kind: "enabled" } };
    delete (next as { limits?: unknown }).limits;
    expect(preserveDenies(ruled, next, KEEP)).toEqual(ruled);
    expect(preserveDenies(ruled, next, { mayDropDenies: true })).toBe(next);
  });

  it("keeps each limit that the next profile does not state", () => {
    const now: PermissionProfile = { type: "disabled", limits: { wallTimeMs: 9, memoryBytes: 7 } };
    const next: PermissionProfile = { type: "disabled", limits: { wallTimeMs: 99 } };
    expect(preserveDenies(now, next, KEEP).limits).toEqual({ wallTimeMs: 99, memoryBytes: 7 });
  });

  it("refuses to hand denies to a sandbox that writ does not enforce", () => {
    const next: PermissionProfile = {
      type: "external",
      unixSockets: "none",
      network: { kind: "restricted" },
    };
    expectRefusal(() => preserveDenies(current, next, KEEP), "unrepresentable", "denies");
  });

  it.each<PermissionProfile>([
    { type: "disabled" },
    { type: "external", unixSockets: "none", network: { kind: "restricted" } },
    profileWith([["/a", "write"]]),
  ])("lets a caller that may drop denies have $type as it is", (next) => {
    expect(preserveDenies(current, next, { mayDropDenies: true })).toBe(next);
  });

  it.each<PermissionProfile>([
    { type: "disabled" },
    { type: "external", unixSockets: "none", network: { kind: "enabled" } },
    profileWith([[":root", "read"]]),
  ])("has nothing to keep from $type without denies", (empty) => {
    const next: PermissionProfile = {
      type: "external",
      unixSockets: "none",
      network: { kind: "restricted" },
    };
    expect(preserveDenies(empty, next, KEEP)).toEqual(next);
  });

  it.each<[string, number | undefined, Rule[], number | undefined, number | undefined]>([
    ["the deeper of two", 2, [["glob:/x/*", "deny"]], 5, 5],
    ["no bound when one has none", 2, [["glob:/x/*", "deny"]], undefined, undefined],
    ["only sides with patterns", 2, [["/x", "read"]], 7, 2],
    ["no bound from a side that has none", undefined, [["/x", "read"]], 7, undefined],
  ])("merges scan depths: %s", (_, depth, rules, other, merged) => {
    const kept = preserveDenies(profile(DENIES, depth), profile(rules, other), KEEP);
    if (kept.type !== "managed" || kept.fileSystem.type !== "restricted") expect.unreachable();
    expect(kept.fileSystem.globScanMaxDepth).toBe(merged);
  });
});
