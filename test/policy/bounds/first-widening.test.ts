import { describe, expect, it } from "vitest";
import {
  bindProfile,
  firstWidening,
  type HostRoots,
  type Network,
  NetworkRules,
  type PermissionProfile,
  readCanonicalProfile,
} from "../../../src/policy/index.ts";
import { boundWith, HOST, type Rule, wireOf } from "../support/profiles.ts";

const bind = (profile: PermissionProfile, host: HostRoots = HOST) => bindProfile(profile, host);

describe("firstWidening", () => {
  it.each<[string, Rule[], Rule[]]>([
    ["the same", [[":root", "read"]], [[":root", "read"]]],
    [
      "less",
      [["/r", "read"]],
      [
        [":root", "read"],
        ["/r", "write"],
      ],
    ],
    [
      "a deny more",
      [
        [":root", "read"],
        ["/a", "deny"],
      ],
      [[":root", "read"]],
    ],
    [
      "a pattern more",
      [
        [":root", "read"],
        ["glob:/a/*", "deny"],
      ],
      [[":root", "read"]],
    ],
    [
      "a place its own pattern hides",
      [
        ["glob:/r/**/x", "deny"],
        ["/r/x", "write"],
      ],
      [["/r", "read"]],
    ],
    ["nothing", [], []],
  ])("finds none in %s", (_, candidate, base) => {
    expect(firstWidening(boundWith(candidate), boundWith(base))).toBeUndefined();
  });

  it.each<[string, Rule[], Rule[], string, string, string]>([
    ["a read of a hidden path", [[":root", "read"]], [["/r", "read"]], "/", "read", "deny"],
    ["a write of a readable path", [["/r", "write"]], [["/r", "read"]], "/r", "write", "read"],
    [
      "a deny left out",
      [[":root", "read"]],
      [
        [":root", "read"],
        ["/a/b", "deny"],
      ],
      "/a/b",
      "read",
      "deny",
    ],
    [
      "a reopened child",
      [
        [":root", "read"],
        ["/r/a", "write"],
      ],
      [[":root", "read"]],
      "/r/a",
      "write",
      "read",
    ],
    [
      "a reopened protected name",
      [
        ["/r", "write"],
        ["/r/.git", "write"],
      ],
      [["/r", "write"]],
      "/r/.git",
      "write",
      "read",
    ],
  ])("names the place of %s", (_, candidate, base, path, asked, allowed) => {
    expect(firstWidening(boundWith(candidate), boundWith(base))).toEqual({
      what: "path",
      path,
      asked,
      allowed,
    });
  });

  it.each<[string, "read" | "deny"]>([
    ["/r/a", "read"],
    ["/r/a", "deny"],
    ["/r/a/b", "deny"],
  ])("sees that %s could be made where only a pattern stands for its %s", (path, allowed) => {
    const base: Rule[] = [
      ["/r", "write"],
      [path, allowed],
    ];
    const candidate: Rule[] = [
      ["/r", "write"],
      ["glob:/r/[a]", "deny"],
    ];
    expect(firstWidening(boundWith(candidate), boundWith(base))).toEqual({
      what: "path",
      path,
      asked: "write",
      allowed,
    });
  });

  it("sees a protected name that the candidate does not protect", () => {
    const candidate = boundWith([["/r", "write"]], { protectedNames: [] });
    expect(firstWidening(candidate, boundWith([["/r", "write"]]))).toMatchObject({
      path: "/r/.git",
    });
  });

  it("sees unrestricted files over restricted ones", () => {
    const free = bind({
      type: "managed",
      unixSockets: "none",
      fileSystem: { type: "unrestricted" },
      network: { kind: "restricted" },
    });
    expect(firstWidening(free, boundWith([[":root", "read"]]))).toMatchObject({
      path: "/",
      asked: "write",
    });
    expect(firstWidening(boundWith([[":root", "read"]]), free)).toBeUndefined();
  });

  it("names a pattern that the candidate does not repeat", () => {
    const base = boundWith([
      [":root", "read"],
      ["glob:/r/*.env", "deny"],
      ["glob:/r/*.key", "deny"],
    ]);
    const candidate = boundWith([
      [":root", "read"],
      ["glob:/r/*.env", "deny"],
    ]);
    expect(firstWidening(candidate, base)).toEqual({ what: "glob", pattern: "/r/*.key" });
  });

  it("sees that a back-end may look less deep for what patterns deny", () => {
    const looking = (glob_scan_max_depth?: number) =>
      bind(
        readCanonicalProfile({
          type: "managed",
          network: "restricted",
          file_system: {
            ...wireOf([["glob:/r/**/x", "deny"]]).file_system,
            ...(glob_scan_max_depth && { glob_scan_max_depth }),
          },
        }),
      );
    expect(firstWidening(looking(2), looking(3))).toEqual({ what: "scanDepth" });
    expect(firstWidening(looking(2), looking())).toEqual({ what: "scanDepth" });
    for (const depth of [3, 4, undefined]) {
      expect(firstWidening(looking(depth), looking(3))).toBeUndefined();
    }
  });

  it("sees a sandbox given up", () => {
    const disabled = bind({ type: "disabled" });
    const external = bind(
      { type: "external", unixSockets: "none", network: { kind: "restricted" } },
      { ...HOST, externalSandbox: "trusted" },
    );
    const open = bind({
      type: "managed",
      unixSockets: "none",
      fileSystem: { type: "unrestricted" },
      network: { kind: "enabled" },
    });
    expect(firstWidening(disabled, open)).toEqual({ what: "enforcement" });
    expect(firstWidening(external, open)).toEqual({ what: "enforcement" });
    expect(firstWidening(disabled, disabled)).toBeUndefined();
    expect(firstWidening(open, disabled)).toBeUndefined();
  });

  it.each([
    [{ processes: 5 }, { processes: 4 }, "processes"],
    [undefined, { wallTimeMs: 4 }, "wallTimeMs"],
    [{ processes: 1 }, { processes: 4, outputBytes: 4 }, "outputBytes"],
  ])("names the limit that %j does not keep of %j", (candidate, base, limit) => {
    const withLimits = (limits: object | undefined) =>
      bind({ type: "disabled", ...(limits && { limits }) });
    expect(firstWidening(withLimits(candidate), withLimits(base))).toEqual({
      what: "limit",
      limit,
    });
    expect(firstWidening(withLimits(base), withLimits(base))).toBeUndefined();
  });
});

describe("a wider network", () => {
  const ruled = (rules: object): Network => ({ kind: "ruled", rules: NetworkRules.parse(rules) });
  const on: Network = { kind: "enabled" };
  const off: Network = { kind: "restricted" };
  const widens = (candidate: Network, base: Network) =>
    firstWidening(
      bind({ type: "external", unixSockets: "none", network: candidate }),
      bind({ type: "external", unixSockets: "none", network: base }),
    )?.what;
  const allow = (...names: string[]) => ({
    domains: Object.fromEntries(names.map((n) => [n, "allow"])),
  });

  it.each<[string, Network, Network]>([
    ["on over off", on, off],
    ["on over rules", on, ruled({})],
    ["rules over off", ruled({}), off],
    ["full over limited", ruled({ mode: "full" }), ruled({ mode: "limited" })],
    ["local binding", ruled({ allowLocalBinding: true }), ruled({})],
    ["any port over some", ruled({}), ruled({ ports: [443] })],
    ["another port", ruled({ ports: [80] }), ruled({ ports: [443] })],
    ["another host", ruled(allow("b.example")), ruled(allow("a.example"))],
    ["everything over a host", ruled(allow("*")), ruled(allow("**.example"))],
    ["the apex over its subdomains", ruled(allow("example")), ruled(allow("*.example"))],
    ["the apex in a double star", ruled(allow("**.example")), ruled(allow("*.example"))],
    ["a name that only ends alike", ruled(allow("badexample")), ruled(allow("**.example"))],
    ["subdomains over a host", ruled(allow("*.a.example")), ruled(allow("a.example"))],
    [
      "a deny left out",
      ruled(allow("*")),
      ruled({ domains: { "*": "allow", "x.example": "deny" } }),
    ],
    ["a socket", ruled({ unixSockets: { "/run/a": "allow" } }), ruled({})],
  ])("is seen in %s", (_, candidate, base) => {
    expect(widens(candidate, base)).toBe("network");
  });

  it.each<[string, Network, Network]>([
    ["off under anything", off, ruled({})],
    ["rules under on", ruled(allow("*")), on],
    ["equal rules", ruled(allow("a.example")), ruled(allow("a.example"))],
    ["limited under full", ruled({ mode: "limited" }), ruled({})],
    ["fewer ports", ruled({ ports: [443] }), ruled({ ports: [80, 443] })],
    [
      "a host under a double star",
      ruled(allow("example", "a.example")),
      ruled(allow("**.example")),
    ],
    ["subdomains under a double star", ruled(allow("*.example")), ruled(allow("**.example"))],
    ["a double star below a star", ruled(allow("**.a.example")), ruled(allow("*.example"))],
    ["anything under a star", ruled(allow("*.example", "b")), ruled(allow("*"))],
    ["a deny more", ruled({ domains: { "a.b": "allow", "x.y": "deny" } }), ruled(allow("a.b"))],
  ])("is not seen in %s", (_, candidate, base) => {
    expect(widens(candidate, base)).toBeUndefined();
  });
});
