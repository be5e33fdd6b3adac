/** States that cannot be meant as sent; the numbers are those of the recorded inherit cases. */
import { describe, expect, it } from "vitest";
import { readMetaState, STATE_ALIAS, STATE_KEY, TURN_KEY } from "../../../src/mcp/index.ts";
import { CAPTURES, managed, special, stateWith } from "./support/states.ts";

const root = { path: special("root"), access: "read" };

function without(member: string): Record<string, unknown> {
  const { [member]: _, ...rest } = stateWith({});
  return rest;
}

function withEntry(entry: object): Record<string, unknown> {
  return stateWith({ permissionProfile: managed([root, entry]) });
}

function refusalOf(state: unknown): string {
  const reading = readMetaState({ [STATE_KEY]: state });
  expect(reading).toMatchObject({ kind: "refused", code: "malformed" });
  return reading.kind === "refused" ? reading.message : "";
}

describe("a state is refused", () => {
  it.each([
    ["null", null],
    ["text (9)", "invalid"],
    ["empty text", ""],
    ["its own JSON as text", JSON.stringify(stateWith({}))],
    ["a number", 0],
    ["false", false],
    ["a list", [stateWith({})]],
    ["an empty object", {}],
    ["undefined", undefined],
    ["one with a zero byte in its folder", stateWith({ sandboxCwd: "/srv/w\0s" })],
  ])("when it is %s", (_, state) => {
    expect(refusalOf(state)).toMatch(/^Cannot run this call: /);
  });

  it("without a policy, by the names of both members (79)", () => {
    const message = refusalOf(without("permissionProfile"));
    expect(message).toContain("permissionProfile");
    expect(message).toContain("sandboxPolicy");
  });

  it.each([
    ["is missing (80)", without("sandboxCwd")],
    ["is null", stateWith({ sandboxCwd: null })],
    ["is empty", stateWith({ sandboxCwd: "" })],
    ["is relative (81)", stateWith({ sandboxCwd: "ws" })],
    ["is relative with dots", stateWith({ sandboxCwd: "./ws" })],
    ["has a query (84)", stateWith({ sandboxCwd: "file:///srv/ws?a=1" })],
    ["has a fragment (84)", stateWith({ sandboxCwd: "file:///srv/ws#a" })],
    ["has a port (84)", stateWith({ sandboxCwd: "file://host:1/srv/ws" })],
    ["has a user (84)", stateWith({ sandboxCwd: "file://me@host/srv/ws" })],
    ["is of another scheme", stateWith({ sandboxCwd: "http://host/srv/ws" })],
    ["is a list", stateWith({ sandboxCwd: ["file:///srv/ws"] })],
  ])("when its folder %s", (_, state) => {
    expect(refusalOf(state)).toContain("sandboxCwd");
  });

  it.each([
    ["null", null],
    ["text", "read-only"],
    ["of a type nobody knows", { type: "relaxed" }],
    ["of two types", { type: ["managed", "disabled"] }],
    ["managed without files", { type: "managed", network: "restricted" }],
    ["managed without a network", { type: "managed", file_system: { type: "unrestricted" } }],
    ["on a network nobody knows", { type: "external", network: "maybe" }],
    ["external without a network", { type: "external" }],
    ["disabled, yet with rules", { ...managed([root]), type: "disabled" }],
  ])("when its profile is %s", (_, permissionProfile) => {
    expect(refusalOf(stateWith({ permissionProfile }))).toContain("permissionProfile");
  });

  it.each([
    ["a kind nobody knows (95)", { path: special("novel"), access: "read" }],
    ["a relative path (96)", { path: { type: "path", path: "ws/out" }, access: "write" }],
    ["an access nobody knows", { path: special("root"), access: "execute" }],
    ["no access", { path: special("tmpdir") }],
    ["no path", { access: "write" }],
    ["a glob that opens", { path: { type: "glob_pattern", pattern: "/s/*" }, access: "write" }],
    ["an empty path", { path: { type: "path", path: "" }, access: "write" }],
    ["a path type nobody knows", { path: { type: "inode", inode: 2 }, access: "read" }],
  ])("when an entry has %s", (_, entry) => {
    expect(refusalOf(withEntry(entry))).toContain("permissionProfile");
  });

  it.each([
    ["a list of denials", { denyPaths: ["/srv/secret"] }],
    ["a flag that may narrow", { readOnly: true }],
    ["an object", { later: {} }],
    ["a version as an object", { version: { major: 2 } }],
    ["a policy for the network", { networkPolicy: "off" }],
  ])("when it has an unknown member that may restrict: %s", (_, members) => {
    expect(refusalOf(stateWith(members))).toContain("may be a restriction");
  });

  it.each([
    ["useLegacyLandlock", { useLegacyLandlock: "no" }],
    ["codexLinuxSandboxExe", { codexLinuxSandboxExe: 1 }],
    ["useMxc", { useMxc: 1 }],
  ])("when %s is of the wrong type", (member, members) => {
    expect(refusalOf(stateWith(members))).toContain(member);
  });

  it("when the policy beside its profile is stricter", () => {
    const state = stateWith({
      permissionProfile: { type: "disabled" },
      sandboxPolicy: { type: "read-only" },
    });
    expect(refusalOf(state)).toContain("sandboxPolicy");
  });

  it("when the only profile hides behind `__proto__`", () => {
    const { permissionProfile, ...rest } = stateWith({});
    const proto = JSON.stringify({ permissionProfile });
    const text = JSON.stringify(rest).replace("{", `{"__proto__":${proto},`);
    expect(refusalOf(JSON.parse(text))).toContain("permissionProfile");
  });
});

describe("a state is read", () => {
  it.each([
    ["with a plain path for its folder (82)", { sandboxCwd: "/srv/demo/ws" }, "/srv/demo/ws"],
    ["with an encoded folder (83)", { sandboxCwd: "file:///a%20b/%C3%A9" }, "/a%20b/%C3%A9"],
    ["with a plain flag that nobody knows", { usesSomethingNew: true }, "/srv/demo/ws"],
    ["with a version that nobody knows", { version: "9" }, "/srv/demo/ws"],
  ])("%s", (_, members, folder) => {
    const reading = readMetaState({ [STATE_KEY]: stateWith(members) });
    expect(reading).toMatchObject({ kind: "state", state: { cwd: `file://${folder}` } });
  });

  it("by its profile, not by the wider policy beside it (86)", () => {
    const [, capture] = CAPTURES.find(([name]) => name.includes("0.140.0-custom")) ?? [];
    const reading = readMetaState({ [STATE_KEY]: capture?.state });
    const denials = JSON.stringify(reading).match(/"access":"deny"/g);
    expect(denials).toHaveLength(2);
  });
});

describe("a state that is too much", () => {
  const huge = stateWith({ later: "x".repeat(10 << 20) });
  const nested = (depth: number): unknown =>
    JSON.parse(`${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`);
  const list = (depth: number): unknown => JSON.parse("[".repeat(depth) + "]".repeat(depth));

  it.each([
    ["the first name", { [STATE_KEY]: huge }],
    ["the second name", { [STATE_ALIAS]: huge }],
    ["one of both", { [STATE_KEY]: stateWith({}), [STATE_ALIAS]: huge }],
    ["both", { [STATE_KEY]: huge, [STATE_ALIAS]: huge }],
  ])("of ten million characters is refused in a short sentence under %s", (_, meta) => {
    const reading = readMetaState(meta);
    expect(reading).toMatchObject({ kind: "refused", code: "malformed" });
    expect(reading.kind === "refused" && reading.message.length).toBeLessThan(200);
  });

  it("of a hundred thousand entries is refused", () => {
    const permissionProfile = managed(Array.from({ length: 100_000 }, () => root));
    expect(refusalOf(stateWith({ permissionProfile }))).toContain("characters");
  });

  it.each([
    ["as an object", nested(100_000)],
    ["as a list", list(200_000)],
    ["in a member", stateWith({ later: nested(100_000) })],
    ["in its profile", stateWith({ permissionProfile: nested(50_000) })],
  ])("nested without end is refused %s", (_, state) => {
    const message = refusalOf(state);
    expect(message.length).toBeLessThan(400);
    const both = readMetaState({ [STATE_KEY]: state, [STATE_ALIAS]: structuredClone(1) });
    expect(both.kind).toBe("refused");
  });

  it.each([
    ["long", "x".repeat(10 << 20)],
    ["nested", nested(100_000)],
  ])("is no matter of the turn either: a %s mode gets a short answer", (_, sandbox_mode) => {
    const reading = readMetaState({ [STATE_KEY]: stateWith({}), [TURN_KEY]: { sandbox_mode } });
    expect(reading.kind).toBe("refused");
    expect(reading.kind === "refused" && reading.message.length).toBeLessThan(500);
  });
});
