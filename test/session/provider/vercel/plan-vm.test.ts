import { describe, expect, it } from "vitest";
import type { SandboxIntent } from "../../../../src/exec/index.ts";
import {
  NetworkRules,
  type PermissionProfile,
  policyForMode,
  profileOfPolicy,
  uriOfNative,
} from "../../../../src/policy/index.ts";
import { isKept } from "../../../../src/session/provider/vercel/firewall.ts";
import { planVm } from "../../../../src/session/provider/vercel/plan-vm.ts";
import { intentOf } from "../support/sandbox-of.ts";

const WS = "/vercel/sandbox";
const workspace = uriOfNative(WS);
const external = {
  type: "external",
  network: { kind: "restricted" },
  unixSockets: "host",
} as const;
const plan = (profile: PermissionProfile, at = WS) => planVm(intentOf(profile, at), workspace);
const ruled = (rules: object): PermissionProfile => ({
  ...external,
  network: { kind: "ruled", rules: NetworkRules.parse(rules) },
});
const forbidden = (text: string) =>
  expect.objectContaining({ code: "forbidden", message: expect.stringContaining(text) });

describe("planVm", () => {
  it.each<[string, PermissionProfile, unknown]>([
    ["a closed network", external, "deny-all"],
    ["an open network", { ...external, network: { kind: "enabled" } }, "allow-all"],
    ["rules that open nothing", ruled({}), "deny-all"],
    [
      "rules for hosts, in one order",
      ruled({ domains: { "b.example": "allow", "a.example": "allow", "c.example": "deny" } }),
      { allow: ["a.example", "b.example"] },
    ],
    [
      "files that nobody rules over",
      { ...external, type: "managed", fileSystem: { type: "unrestricted" } },
      "deny-all",
    ],
  ])("tells the firewall of %s", (_, profile, firewall) => {
    expect(plan(profile).firewall).toEqual(firewall);
  });

  it.each<[string, PermissionProfile, string]>([
    ["read-only files", profileOfPolicy(policyForMode("read-only")), "rules for files"],
    ["a workspace", profileOfPolicy(policyForMode("workspace-write")), "rules for files"],
    ["no sandbox", profileOfPolicy(policyForMode("danger-full-access")), "waives the sandbox"],
    [
      "files that are all denied",
      { ...external, type: "managed", fileSystem: { type: "restricted", entries: [] } },
      "rules for files",
    ],
    ["limits", { ...external, limits: { wallTimeMs: 1 } }, "limits"],
    ["no unix sockets", { ...external, unixSockets: "none" }, "unix sockets"],
    ["private unix sockets", { ...external, unixSockets: "private" }, "unix sockets"],
    [
      "requests that only read",
      ruled({ mode: "limited", domains: { "a.example": "allow" } }),
      "limited",
    ],
    ["ports", ruled({ ports: [443], domains: { "a.example": "allow" } }), "ports"],
    ["single sockets", ruled({ unixSockets: { "/run/x": "deny" } }), "unix sockets"],
    ["hosts below a host", ruled({ domains: { "*.a.example": "allow" } }), '"*.a.example"'],
    [
      "hosts that are denied below one",
      ruled({ domains: { "**.a.example": "deny" } }),
      '"**.a.example"',
    ],
    ["every host", ruled({ domains: { "*": "allow" } }), '"*"'],
    ["an address", ruled({ domains: { "10.0.0.1": "allow" } }), '"10.0.0.1"'],
    ["an address of version 6", ruled({ domains: { "[::1]": "allow" } }), '"[::1]"'],
  ])("refuses %s, which a VM does not keep", (_, profile, text) => {
    expect(() => plan(profile)).toThrow(forbidden(text));
  });

  it("refuses an intent without a sandbox, and one for another kind of machine", () => {
    const waived: SandboxIntent = { kind: "waived", by: "test", reason: "none is wanted" };
    expect(() => planVm(waived, workspace)).toThrow(forbidden("waived"));
    expect(() => plan(external, "C:\\work")).toThrow(forbidden("invalid on 'linux'"));
  });

  it("names a policy by what it keeps and where", () => {
    const digests = [
      plan(external),
      plan({ ...external, network: { kind: "enabled" } }),
      plan(ruled({ domains: { "a.example": "allow" } })),
      plan(external, "/other"),
    ].map(({ boundDigest }) => boundDigest);
    expect(new Set(digests).size).toBe(4);
    expect(plan({ ...external }).boundDigest).toBe(digests[0]);
  });
});

describe("isKept", () => {
  const hosts = { allow: ["a.example", "b.example"] };

  it.each([
    ["deny-all", "deny-all"],
    [hosts, "deny-all"],
    [hosts, { allow: ["a.example"] }],
    [hosts, { allow: { "b.example": [], "a.example": [] } }],
    [hosts, {}],
    ["allow-all", "allow-all"],
    ["allow-all", undefined],
  ] as const)("takes for %j what is told as %j", (wanted, told) => {
    expect(isKept(wanted, told)).toBe(true);
  });

  it.each([
    ["deny-all", "allow-all"],
    ["deny-all", undefined],
    ["deny-all", {}],
    [hosts, "allow-all"],
    [hosts, undefined],
    [hosts, { allow: ["a.example", "c.example"] }],
    [hosts, { allow: { "*": [] } }],
    [hosts, { allow: [], subnets: { allow: ["10.0.0.0/8"] } }],
  ] as const)("refuses for %j what is told as %j", (wanted, told) => {
    expect(isKept(wanted, told)).toBe(false);
  });
});
