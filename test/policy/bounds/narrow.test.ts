import { describe, expect, it } from "vitest";
import {
  parseAbsolutePath as at,
  bindProfile,
  explain,
  firstWidening,
  narrow,
  type PermissionProfile,
} from "../../../src/policy/index.ts";
import { accesses, boundWith, HOST, type Rule } from "../support/profiles.ts";

const rules = { mode: "full", domains: {}, unixSockets: {}, allowLocalBinding: false } as const;
const open: PermissionProfile = {
  type: "managed",
  unixSockets: "none",
  fileSystem: { type: "unrestricted" },
  network: { kind: "enabled" },
};

/** The stricter answer of both sides on each path, in both orders. */
function expectNarrowed(a: readonly Rule[], b: readonly Rule[], expected: Record<string, string>) {
  const [one, two] = [boundWith(a), boundWith(b)];
  for (const narrowed of [narrow(one, two), narrow(two, one)]) {
    expect(accesses(narrowed, Object.keys(expected))).toEqual(expected);
    expect(firstWidening(narrowed, one)).toBeUndefined();
    expect(firstWidening(narrowed, two)).toBeUndefined();
  }
}

describe("narrow", () => {
  it("keeps the stricter access at every path", () => {
    expectNarrowed(
      [
        [":root", "read"],
        ["/r", "write"],
        ["/r/a", "deny"],
      ],
      [
        ["/r", "read"],
        ["/r/w", "write"],
        ["/r/a/b", "write"],
      ],
      {
        "/": "deny",
        "/r": "read",
        "/r/w": "write",
        "/r/a": "deny",
        "/r/a/b": "deny",
        "/s": "deny",
      },
    );
  });

  it("allows nothing where the sides do not meet", () => {
    expectNarrowed([["/a", "write"]], [["/b", "write"]], {
      "/a": "deny",
      "/b": "deny",
      "/": "deny",
    });
  });

  it("keeps a protected name that one side reopens", () => {
    expectNarrowed(
      [
        ["/r", "write"],
        ["/r/.git", "write"],
      ],
      [["/r", "write"]],
      { "/r/.git": "read", "/r/.git/x": "read", "/r/a": "write" },
    );
  });

  it("reopens what both sides reopen", () => {
    const reopened: Rule[] = [
      ["/r", "write"],
      ["/r/.git/hooks", "write"],
    ];
    expectNarrowed(
      reopened,
      [
        ["/r", "write"],
        ["/r/.git", "write"],
      ],
      {
        "/r/.git/hooks/x": "write",
        "/r/.git/config": "read",
      },
    );
  });

  it("adds up the names that either side protects", () => {
    const temporary = boundWith([[":slash_tmp", "write"]]);
    const path = boundWith([["/tmp", "write"]]);
    for (const narrowed of [narrow(temporary, path), narrow(path, temporary)]) {
      expect(accesses(narrowed, ["/tmp/.vscode", "/tmp/.git", "/tmp/a"])).toEqual({
        "/tmp/.vscode": "read",
        "/tmp/.git": "read",
        "/tmp/a": "write",
      });
    }
  });

  it("keeps the patterns of both sides", () => {
    expectNarrowed(
      [
        [":root", "read"],
        ["glob:/r/**/*.env", "deny"],
      ],
      [
        [":root", "write"],
        ["glob:/r/**/*.key", "deny"],
      ],
      { "/r/a.env": "deny", "/r/x/a.key": "deny", "/r/a": "read" },
    );
  });

  it("takes the other side whole when one does not restrict files", () => {
    const free = bindProfile(open, HOST);
    const bound = boundWith([
      ["/r", "write"],
      ["glob:*.env", "deny"],
    ]);
    expect(narrow(free, bound).files).toEqual(bound.files);
    expect(narrow(bound, free).files).toEqual(bound.files);
  });

  it("explains by the rule of the stricter side", () => {
    const narrowed = narrow(boundWith([["/r", "write"]]), boundWith([[":root", "read"]]));
    expect(explain(narrowed, at("/r/a"))).toMatchObject({
      access: "read",
      rule: '":root" = "read"',
    });
  });

  it.each<[PermissionProfile, PermissionProfile, string]>([
    [{ type: "disabled" }, open, "managed"],
    [{ type: "disabled" }, { type: "disabled" }, "disabled"],
    [
      { type: "disabled" },
      { type: "external", unixSockets: "none", network: { kind: "enabled" } },
      "external",
    ],
    [open, { type: "external", unixSockets: "none", network: { kind: "enabled" } }, "managed"],
  ])("keeps the strictest enforcement of %j and %j", (a, b, enforcement) => {
    const host = { ...HOST, externalSandbox: "trusted" } as const;
    const [one, two] = [bindProfile(a, host), bindProfile(b, host)];
    expect(narrow(one, two).enforcement).toBe(enforcement);
    expect(narrow(two, one).enforcement).toBe(enforcement);
  });

  it("keeps the network of the stricter side and both sets of rules", () => {
    const bound = (network: PermissionProfile & { type: "external" }) => bindProfile(network, HOST);
    const on = bound({ type: "external", unixSockets: "none", network: { kind: "enabled" } });
    const off = bound({ type: "external", unixSockets: "none", network: { kind: "restricted" } });
    const ruled = bound({
      type: "external",
      unixSockets: "none",
      network: { kind: "ruled", rules },
    });
    const other = { ...rules, domains: { "a.example": "allow" as const } };
    const alsoRuled = bound({
      type: "external",
      unixSockets: "none",
      network: { kind: "ruled", rules: other },
    });
    expect(narrow(on, off).network).toEqual({ kind: "restricted" });
    expect(narrow(ruled, off).network).toEqual({ kind: "restricted" });
    expect(narrow(on, ruled).network).toEqual({ kind: "ruled", all: [rules] });
    expect(narrow(ruled, alsoRuled).network).toEqual({ kind: "ruled", all: [rules, other] });
    expect(narrow(ruled, ruled).network).toEqual({ kind: "ruled", all: [rules] });
  });

  it("keeps the lower of each limit", () => {
    const a = bindProfile({ type: "disabled", limits: { processes: 4, openFiles: 9 } }, HOST);
    const b = bindProfile({ type: "disabled", limits: { processes: 7, wallTimeMs: 5 } }, HOST);
    expect(narrow(a, b).limits).toEqual({ processes: 4, openFiles: 9, wallTimeMs: 5 });
    expect(narrow(a, bindProfile({ type: "disabled" }, HOST)).limits).toEqual(a.limits);
    expect(narrow(bindProfile(open, HOST), bindProfile(open, HOST))).not.toHaveProperty("limits");
  });

  it.each([
    [2, 5, 5],
    [2, undefined, undefined],
  ])("scans deep enough for depths %s and %s", (one, other, merged) => {
    const withDepth = (depth: number | undefined) => {
      const bound = boundWith([["glob:/r/*", "deny"]]);
      return { ...bound, files: { ...bound.files, ...(depth && { globScanMaxDepth: depth }) } };
    };
    const { files } = narrow(withDepth(one), withDepth(other));
    expect(files).toMatchObject({ type: "restricted" });
    expect("globScanMaxDepth" in files ? files.globScanMaxDepth : undefined).toBe(merged);
  });
});
