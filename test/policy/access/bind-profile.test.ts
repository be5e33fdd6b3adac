import { describe, expect, it } from "vitest";
import {
  accessTo,
  parseAbsolutePath as at,
  type BoundProfile,
  bindProfile,
  type PermissionProfile,
} from "../../../src/policy/index.ts";
import { accesses, boundWith, HOST, profileWith, type Rule } from "../support/profiles.ts";
import { expectRefusal } from "../support/refusal.ts";

function entriesOf({ files }: BoundProfile) {
  if (files.type === "unrestricted") return expect.unreachable("the profile is restricted");
  return files.entries.map(({ path, access }) => [path, access]);
}

describe("bindProfile", () => {
  it("gives every symbol its path on this host", () => {
    const rules: readonly Rule[] = [
      [":root", "read"],
      [":minimal", "read"],
      [":tmpdir", "write"],
      [":slash_tmp", "write"],
      [":workspace_roots/a", "write"],
      ["/x", "deny"],
    ];
    expect(entriesOf(boundWith(rules, ["/r", "/s"]))).toEqual([
      ["/", "read"],
      ["/usr", "read"],
      ["/etc", "read"],
      ["/scratch", "write"],
      ["/tmp", "write"],
      ["/r/a", "write"],
      ["/s/a", "write"],
      ["/x", "deny"],
    ]);
  });

  it("keeps one entry per path, whatever the order", () => {
    const rules: Rule[] = [
      ["/a", "read"],
      ["/a", "deny"],
      ["/a", "write"],
      ["/b", "read"],
      ["/b", "write"],
    ];
    const expected = [
      ["/a", "deny"],
      ["/b", "write"],
    ];
    expect(entriesOf(boundWith(rules)).toSorted()).toEqual(expected);
    expect(entriesOf(boundWith(rules.toReversed())).toSorted()).toEqual(expected);
  });

  it.each<[string, Rule, Partial<typeof HOST>]>([
    ["an unknown symbol", [":later", "deny"], {}],
    ["an unknown symbol with a subpath", [":later/a", "deny"], {}],
    ["an unset TMPDIR", [":tmpdir", "deny"], { tmpdir: undefined }],
    ["a host without /tmp", [":slash_tmp", "deny"], { slashTmp: undefined }],
    ["a host without platform defaults", [":minimal", "deny"], { platformDefaults: [] }],
    ["no workspace roots", [":workspace_roots", "deny"], { workspaceRoots: [] }],
    [
      "no workspace roots, marked skip",
      [":workspace_roots/a", "deny", "skip"],
      { workspaceRoots: [] },
    ],
  ])("refuses a deny that would vanish with %s", (_, rule, facts) => {
    expectRefusal(() => boundWith([[":root", "read"], rule], facts), "unbindable", rule[0]);
  });

  it.each<[string, Rule, Partial<typeof HOST>]>([
    ["an unknown symbol", [":later", "write"], {}],
    ["an unset TMPDIR", [":tmpdir", "write"], { tmpdir: undefined }],
    ["a host without /tmp", [":slash_tmp", "write"], { slashTmp: undefined }],
    ["a host without platform defaults", [":minimal", "read"], { platformDefaults: [] }],
    ["no workspace roots", [":workspace_roots", "write"], { workspaceRoots: [] }],
  ])("grants nothing by %s", (_, rule, facts) => {
    expect(entriesOf(boundWith([rule], facts))).toEqual([]);
    expect(accessTo(boundWith([rule], facts), at("/r"))).toBe("deny");
  });

  it("refuses to make the platform defaults writable", () => {
    expectRefusal(() => boundWith([[":minimal", "write"]]), "unbindable", ":minimal");
  });

  it.each<[string, Partial<typeof HOST>]>([
    [":workspace_roots", { workspaceRoots: [at("/r"), at("/")] }],
    [":tmpdir", { tmpdir: at("/") }],
    [":slash_tmp", { slashTmp: at("/") }],
  ])("refuses a write on %s where the symbol is the whole disk", (target, facts) => {
    expectRefusal(() => boundWith([[target, "write"]], facts), "unbindable", target);
    expectRefusal(
      () => boundWith([[target, "write"]], facts),
      "unbindable",
      "expected a folder below it",
    );
    expect(entriesOf(boundWith([[target, "read"]], facts))).toContainEqual(["/", "read"]);
    expect(accessTo(boundWith([[":root", "write"]], facts), at("/x"))).toBe("write");
  });

  it("opens a folder below a workspace root that is the whole disk", () => {
    const bound = boundWith([[":workspace_roots/out", "write"]], ["/"]);
    expect(accesses(bound, ["/out/f", "/x"])).toEqual({ "/out/f": "write", "/x": "deny" });
  });

  it("refuses a foreign pattern", () => {
    const bind = () => boundWith([["glob:C:\\secrets\\*", "deny"]], { system: "macos" });
    expectRefusal(bind, "unbindable", "is invalid on 'macos'");
  });

  it("takes a folder's own name literally when a pattern starts there", () => {
    const odd = { cwd: at("/r[1]/{a,b}*"), workspaceRoots: [at("/w\\?")] };
    const bound = boundWith(
      [
        [":root", "read"],
        ["glob:*.env", "deny"],
        ["glob:codex-project-roots://*.key", "deny"],
      ],
      odd,
    );
    expect(
      accesses(bound, ["/r[1]/{a,b}*/x.env", "/r1/a/x.env", "/w\\?/x.key", "/wx/x.key"]),
    ).toEqual({
      "/r[1]/{a,b}*/x.env": "deny",
      "/r1/a/x.env": "read",
      "/w\\?/x.key": "deny",
      "/wx/x.key": "read",
    });
  });

  it("starts a pattern at the root of the disk when the cwd is there", () => {
    const bound = boundWith(
      [
        [":root", "read"],
        ["glob:*.env", "deny"],
      ],
      { cwd: at("/") },
    );
    expect(accesses(bound, ["/a.env", "/x/a.env"])).toEqual({
      "/a.env": "deny",
      "/x/a.env": "deny",
    });
  });

  it("keeps limits, roots and the scan depth", () => {
    const profile: PermissionProfile = {
      type: "managed",
      unixSockets: "none",
      fileSystem: { type: "restricted", entries: [], globScanMaxDepth: 3 },
      network: { kind: "enabled" },
      limits: { processes: 2 },
    };
    expect(bindProfile(profile, HOST)).toEqual({
      enforcement: "managed",
      files: { type: "restricted", entries: [], globs: [], globScanMaxDepth: 3 },
      network: { kind: "enabled" },
      unixSockets: "none",
      limits: { processes: 2 },
      roots: { cwd: "/r", workspaceRoots: ["/r"], tmpdir: "/scratch", slashTmp: "/tmp" },
    });
    expect(bindProfile({ type: "disabled", limits: { processes: 2 } }, HOST)).toMatchObject({
      limits: { processes: 2 },
    });
  });

  it("keeps network rules as one set that must allow", () => {
    const rules = { mode: "full", domains: {}, unixSockets: {}, allowLocalBinding: false } as const;
    const bound = bindProfile(
      { type: "external", unixSockets: "none", network: { kind: "ruled", rules } },
      HOST,
    );
    expect(bound.network).toEqual({ kind: "ruled", all: [rules] });
  });
});

describe("an external sandbox", () => {
  const external: PermissionProfile = {
    type: "external",
    unixSockets: "none",
    network: { kind: "enabled" },
    limits: { openFiles: 9 },
  };

  it("is held to read-only when nobody vouches for it", () => {
    const bound = bindProfile(external, HOST);
    expect(bound).toMatchObject({ enforcement: "managed", network: { kind: "enabled" } });
    expect(accesses(bound, ["/", "/r/f", "/tmp/f"])).toEqual({
      "/": "read",
      "/r/f": "read",
      "/tmp/f": "read",
    });
  });

  it("is trusted on the operator's word", () => {
    const bound = bindProfile(external, { ...HOST, externalSandbox: "trusted" });
    expect(bound).toMatchObject({ enforcement: "external", limits: { openFiles: 9 } });
    expect(accessTo(bound, at("/etc"))).toBe("write");
  });

  it("does not change what the operator's word means for other profiles", () => {
    const trusted = { ...HOST, externalSandbox: "trusted" } as const;
    expect(bindProfile(profileWith([]), trusted)).toEqual(bindProfile(profileWith([]), HOST));
  });
});

describe("a profile without entries", () => {
  it("allows nothing", () => {
    expect(accesses(boundWith([]), ["/", "/r", "/usr/bin/env", "/tmp"])).toEqual({
      "/": "deny",
      "/r": "deny",
      "/usr/bin/env": "deny",
      "/tmp": "deny",
    });
  });

  it("differs from one without restrictions", () => {
    const free = bindProfile(
      {
        type: "managed",
        unixSockets: "none",
        fileSystem: { type: "unrestricted" },
        network: { kind: "restricted" },
      },
      HOST,
    );
    expect(accesses(free, ["/", "/r/.git"])).toEqual({ "/": "write", "/r/.git": "write" });
  });
});
