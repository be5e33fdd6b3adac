import { describe, expect, it } from "vitest";
import { Limits, NetworkRules } from "../../../src/policy/index.ts";
import { parseDomainPattern } from "../../../src/policy/profile/network.ts";
import { expectRefusal } from "../support/refusal.ts";

describe("parseDomainPattern", () => {
  it.each([
    ["example.com", "example.com"],
    [" Example.COM. ", "example.com"],
    ["*.Example.com", "*.example.com"],
    ["**.example.com", "**.example.com"],
    ["*", "*"],
    ["127.0.0.1", "127.0.0.1"],
    ["[::1]", "[::1]"],
    ["localhost", "localhost"],
  ])("reads %j", (text, pattern) => {
    expect(parseDomainPattern(text)).toBe(pattern);
  });

  it.each([
    "",
    ".",
    "a:80",
    "::1",
    "http://a",
    "a/b",
    "a..b",
    "**",
    "*a",
    "a.*",
    "*.*.a",
    "***.a",
    "-a",
    "a b",
    "*.",
  ])("refuses %j, which could be read in two ways", (text) => {
    expectRefusal(() => parseDomainPattern(text), "malformed", JSON.stringify(text));
  });
});

describe("NetworkRules", () => {
  it("allows nothing by default", () => {
    expect(NetworkRules.parse({})).toEqual({
      mode: "full",
      domains: {},
      unixSockets: {},
      allowLocalBinding: false,
    });
  });

  it.each([
    [{ "A.example": "allow", "a.example.": "deny" }],
    [{ "a.example.": "deny", "A.example": "allow" }],
  ])("lets deny win among spellings of one host in %j", (domains) => {
    expect(NetworkRules.parse({ domains }).domains).toEqual({ "a.example": "deny" });
  });

  it.each(["__PROTO__", "__proto__."])("refuses the host %s, which no object can hold", (host) => {
    expect(NetworkRules.safeParse({ domains: { [host]: "deny" } }).success).toBe(false);
  });

  it.each(["constructor", "toString"])("keeps a deny on the host %s", (host) => {
    const { domains } = NetworkRules.parse({ domains: { [host]: "deny" } });
    expect(Object.entries(domains)).toEqual([[host.replace(/\.$/, "").toLowerCase(), "deny"]]);
  });

  it.each([
    [{ domains: { "*": "deny" } }],
    [{ domains: { a: "maybe" } }],
    [{ ports: [0] }],
    [{ ports: [65_536] }],
    [{ ports: [1.5] }],
    [{ unixSockets: { "run/a": "allow" } }],
    [{ unixSockets: { "/run/a\0": "allow" } }],
    [{ unixSockets: { "/run/\ud800": "allow" } }],
    [{ mode: "open" }],
    [{ allowLocalBinding: null }],
    [{ review: {} }],
  ])("refuses %j", (rules) => {
    expect(NetworkRules.safeParse(rules).success).toBe(false);
  });

  it.each(["/run//a.sock", "/run/x/../a.sock", "/run/a.sock/"])(
    "gives the socket %s one spelling, so that a deny on it counts",
    (spelling) => {
      const unixSockets = { [spelling]: "deny", "/run/a.sock": "allow" };
      const parsed = NetworkRules.safeParse({ unixSockets });
      expect(parsed.success ? parsed.data.unixSockets : "refused").toBeOneOf([
        "refused",
        { "/run/a.sock": "deny" },
      ]);
    },
  );
});

describe("Limits", () => {
  it.each([[{}], [{ wallTimeMs: 1, memoryBytes: Number.MAX_SAFE_INTEGER }]])(
    "reads %j",
    (limits) => {
      expect(Limits.parse(limits)).toEqual(limits);
    },
  );

  it.each([
    [{ processes: 0 }],
    [{ processes: -1 }],
    [{ processes: 1.5 }],
    [{ processes: Number.POSITIVE_INFINITY }],
    [{ processes: Number.NaN }],
    [{ processes: 2 ** 53 }],
    [{ processes: null }],
    [{ processes: "4" }],
    [{ threads: 4 }],
  ])("refuses %j", (limits) => {
    expect(Limits.safeParse(limits).success).toBe(false);
  });
});
