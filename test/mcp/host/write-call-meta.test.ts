import { describe, expect, it } from "vitest";
import { stripCallMeta } from "../../../src/mcp/host/strip-call-meta.ts";
import { writeCallMeta } from "../../../src/mcp/host/write-call-meta.ts";
import {
  RECEIPT_KEY,
  readMetaState,
  STATE_ALIAS,
  STATE_KEY,
  STATE_KEYS,
  TURN_KEY,
} from "../../../src/mcp/index.ts";
import {
  materializeProfile,
  modeOfProfile,
  NetworkRules,
  type PermissionProfile,
  profileDigest,
  uriOfNative,
} from "../../../src/policy/index.ts";
import captures from "../../fixtures/mcp-sandbox-state.json" with { type: "json" };
import { sandboxIn } from "./support/sandboxes.ts";

/** As it arrives: without what JSON cannot hold. */
function sent(...args: Parameters<typeof writeCallMeta>): Record<string, unknown> {
  return JSON.parse(JSON.stringify(writeCallMeta(...args)));
}

function readBack(meta: unknown): PermissionProfile {
  const reading = readMetaState(meta);
  if (reading.kind === "refused") throw new Error(reading.message);
  return reading.state.profile;
}

const MANAGED = {
  type: "managed",
  fileSystem: { type: "restricted", entries: [{ target: { type: "root" }, access: "read" }] },
  network: { kind: "restricted" },
  unixSockets: "none",
} as const satisfies PermissionProfile;

const RULES = NetworkRules.parse({ domains: { "example.com": "allow" } });

describe("writeCallMeta", () => {
  it.each(["mode-read-only#1", "mode-workspace-write#1", "appr-nothing-danger#1"] as const)(
    "sends the value that Codex sent in %s, under both names",
    (id) => {
      const { state, turnSandboxMode } = captures[id];
      const cwd = uriOfNative(new URL(state.sandboxCwd).pathname);
      const sandbox = sandboxIn(turnSandboxMode as "read-only", { cwd, workspaceRoots: [cwd] });
      const meta = sent({}, sandbox, "anybody");
      // The helper is that client's own; we have none.
      const expected = { ...state, codexLinuxSandboxExe: null };
      expect(JSON.stringify(meta[STATE_KEY])).toBe(JSON.stringify(expected));
      expect(meta[STATE_ALIAS]).toEqual(meta[STATE_KEY]);
      expect(meta[TURN_KEY]).toEqual({ sandbox_mode: turnSandboxMode });
    },
  );

  it("is taken by the reader of the other side, with nothing lost", () => {
    for (const mode of ["read-only", "workspace-write", "danger-full-access"] as const) {
      const meta = sent({}, sandboxIn(mode), "anybody");
      const read = readBack(meta);
      expect(modeOfProfile(read)).toBe(mode);
      expect(meta[RECEIPT_KEY]).toMatchObject({ version: 1, profileDigest: profileDigest(read) });
    }
  });

  it("says the policy by its own name, which the reader believes where it gives the state", () => {
    const sandbox = sandboxIn("workspace-write");
    const meta = sent({}, sandbox, "anybody");
    const reading = readMetaState(meta);
    expect(reading).toMatchObject({
      state: { profile: sandbox.profile, workspaceRoots: sandbox.workspaceRoots },
    });
    const { [RECEIPT_KEY]: told, ...others } = meta;
    expect(readBack(others)).toEqual(materializeProfile(sandbox.profile, sandbox));
    const other = sent({}, sandboxIn("read-only"), "anybody")[RECEIPT_KEY];
    for (const forged of [
      other,
      { ...Object(told), workspaceRoots: ["file:///"] },
      { ...Object(told), workspaceRoots: ["file:///elsewhere"] },
      { ...Object(told), workspaceRoots: [] },
      { ...Object(told), workspaceRoots: null },
      { ...Object(told), workspaceRoots: [1] },
      { ...Object(told), workspaceRoots: ["/native"] },
      { ...Object(told), profile: null },
      { ...Object(told), profile: { type: "disabled" } },
      { ...Object(told), profile: { type: "new" } },
      { ...Object(told), more: "x".repeat(1 << 21) },
    ]) {
      expect(readMetaState({ ...others, [RECEIPT_KEY]: forged })).toMatchObject({
        ...{ kind: "refused", code: "contradictory" },
      });
    }
  });

  it("names the call to the server's receipts and the turn to servers of Codex", () => {
    const ids = { threadId: "t", turnId: "u", callId: "c" };
    const meta = sent({}, sandboxIn("read-only", { ids }), "anybody");
    expect(meta[RECEIPT_KEY]).toMatchObject(ids);
    expect(meta[TURN_KEY]).toEqual({ sandbox_mode: "read-only", thread_id: "t", turn_id: "u" });
  });

  it("keeps the caller's own members and none that speak of a sandbox", () => {
    const forged = Object.fromEntries([...STATE_KEYS, TURN_KEY].map((key) => [key, "forged"]));
    const meta = sent({ ...forged, trace: 1, progressToken: 7 }, sandboxIn("read-only"), "anybody");
    expect(JSON.stringify(meta)).not.toContain("forged");
    expect(meta).toMatchObject({ trace: 1, progressToken: 7 });
    expect(readBack(meta)).toEqual(MANAGED);
  });

  it.each<[string, PermissionProfile]>([
    ["network rules", { ...MANAGED, network: { kind: "ruled", rules: RULES } }],
    ["unix sockets", { ...MANAGED, unixSockets: "host" }],
  ])("carries %s so that who does not know them allows less", (_, profile) => {
    const meta = sent({}, sandboxIn("read-only", { profile }), "anybody");
    const state = meta[STATE_KEY] as { permissionProfile: { writ?: unknown } };
    expect(state.permissionProfile.writ).toBeDefined();
    expect(readBack(meta)).toEqual(profile);
    const { writ: _unknown, ...known } = state.permissionProfile;
    expect(readBack({ [STATE_KEY]: { ...state, permissionProfile: known } })).toEqual(MANAGED);
  });

  it.each<[string, PermissionProfile]>([
    ["a sandbox", { ...MANAGED, limits: { processes: 8 } }],
    ["no sandbox", { type: "disabled", limits: { processes: 8 } }],
  ])("refuses to send the limits of %s to who may not know them", (_, profile) => {
    const sandbox = sandboxIn("read-only", { profile });
    expect(() => writeCallMeta({}, sandbox, "anybody")).toThrow(/limits \(processes\)/);
    expect(readBack(sent({}, sandbox, "writ"))).toEqual(profile);
  });

  it.each([
    ["a deny without a root", { profile: denying(), workspaceRoots: [] }, /must not vanish/],
    ["a workspace that is the disk", { workspaceRoots: [uriOfNative("/")] }, /whole disk/],
  ])("throws on %s", (_, more, message) => {
    expect(() => writeCallMeta({}, sandboxIn("workspace-write", more), "writ")).toThrow(message);
  });

  it.each([[null], ["text"], [3], [[]], [[{}]]])(
    "refuses %j in the place of a caller's _meta",
    (meta) => {
      expect(() => writeCallMeta(meta, sandboxIn("read-only"), "writ")).toThrow(
        /expected an object/,
      );
      expect(() => stripCallMeta(meta)).toThrow(/expected an object/);
    },
  );
});

describe("stripCallMeta", () => {
  it("leaves nothing of a policy, and everything else", () => {
    const keys = [...STATE_KEYS, TURN_KEY];
    const meta = { ...Object.fromEntries(keys.map((key) => [key, {}])), trace: 1 };
    expect(stripCallMeta(meta)).toEqual({ trace: 1 });
    expect(stripCallMeta(undefined)).toEqual({});
  });
});

function denying(): PermissionProfile {
  const entries = [{ target: { type: "workspaceRoots" }, access: "deny" }] as const;
  return { ...MANAGED, fileSystem: { type: "restricted", entries } };
}
