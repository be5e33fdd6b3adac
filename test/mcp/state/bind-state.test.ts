import { describe, expect, it } from "vitest";
import {
  type BoundState,
  bindState,
  intentOfState,
  type NetworkBound,
  readMetaState,
  STATE_KEY,
  type StateRefusal,
} from "../../../src/mcp/index.ts";
import type { SandboxState } from "../../../src/policy/index.ts";
import { CAPTURES, hostWith, managed, special, stateWith } from "./support/states.ts";

const root = { path: special("root"), access: "read" };

function read(state: unknown): SandboxState {
  const reading = readMetaState({ [STATE_KEY]: state });
  if (reading.kind === "refused") throw new Error(reading.message);
  return reading.state;
}

function bind(
  state: unknown,
  { network = "asSent", host = hostWith() }: Partial<Parameters<typeof bindState>[1]> = {},
): BoundState | StateRefusal {
  return bindState(read(state), { host, network });
}

function keyOf(state: unknown, network: NetworkBound = "asSent"): string {
  const bound = bind(state, { network });
  if (bound.kind === "refused") throw new Error(bound.message);
  return bound.key;
}

describe("bindState", () => {
  it.each(CAPTURES)("binds %s to this host", (_, { state }) => {
    const bound = bind(state);
    expect(bound).toMatchObject({ kind: "bound", intent: { kind: "enforce" } });
    expect(keyOf(structuredClone(state))).toBe(keyOf(state));
  });

  it("keeps the process for what says nothing about the sandbox", () => {
    const one = stateWith({ codexLinuxSandboxExe: "/run/one", useMxc: false });
    const two = stateWith({ codexLinuxSandboxExe: "/run/two", useMxc: true, somethingNew: 1 });
    expect(keyOf(two)).toBe(keyOf(one));
  });

  it("keeps the process for the same rules, listed twice and in another order", () => {
    const write = { path: { type: "path", path: "/srv/demo/ws" }, access: "write" };
    const one = stateWith({ permissionProfile: managed([root, write]) });
    const two = stateWith({ permissionProfile: managed([write, root, write]) });
    expect(keyOf(two)).toBe(keyOf(one));
  });

  it.each([
    ["a folder", { sandboxCwd: "file:///srv/demo/other" }],
    ["a network", { permissionProfile: managed([root], "enabled") }],
    ["no sandbox", { permissionProfile: { type: "disabled" } }],
    ["a way to build it", { useLegacyLandlock: true }],
    [
      "one more denial",
      {
        permissionProfile: managed([
          root,
          { path: { type: "path", path: "/srv/secret" }, access: "deny" },
        ]),
      },
    ],
  ])("needs another process for another state: %s", (_, members) => {
    expect(keyOf(stateWith(members))).not.toBe(keyOf(stateWith({})));
  });

  it("enforces an external sandbox as read-only where nobody here vouches for it (88)", () => {
    const external = stateWith({ permissionProfile: { type: "external", network: "restricted" } });
    expect(keyOf(external)).toBe(keyOf(stateWith({})));
  });

  it("reads an empty profile as one that opens nothing", () => {
    expect(keyOf(stateWith({ permissionProfile: {} }))).toBe(
      keyOf(stateWith({ permissionProfile: managed([]) })),
    );
  });

  it.each([
    ["on another host (85)", { sandboxCwd: "file://elsewhere/srv/ws" }],
    ["on another system", { sandboxCwd: "file:///C:/ws" }],
    ["that has no path", { sandboxCwd: "file:///%00/bad/path/YQ" }],
  ])("refuses a folder %s", (_, members) => {
    expect(bind(stateWith(members))).toMatchObject({
      kind: "refused",
      code: "unenforceable",
      message: expect.stringMatching(/^Cannot run this call: .*invalid on/),
    });
  });

  it("refuses a denial of something it cannot name, and passes over a grant of it (94)", () => {
    const unknown = { type: "special", value: { kind: "unknown", path: ":later" } };
    const withAccess = (access: string) =>
      bind(stateWith({ permissionProfile: managed([root, { path: unknown, access }]) }));
    expect(withAccess("deny")).toMatchObject({ kind: "refused", code: "unenforceable" });
    expect(withAccess("write")).toMatchObject({ kind: "bound" });
    expect(withAccess("write")).toHaveProperty("boundDigest", keyOf(stateWith({})));
  });

  it.each([
    ["no sandbox where one is required", { type: "disabled" }, { waivers: "refused" }],
    ["the network where it is closed", managed([root], "enabled"), { hostNetwork: "refused" }],
    ["a workspace outside those allowed", managed([root]), { roots: [] }],
  ] as const)("refuses %s", (_, permissionProfile, bounds) => {
    const bound = bind(stateWith({ permissionProfile }), { host: hostWith(bounds) });
    expect(bound).toMatchObject({
      kind: "refused",
      code: "unenforceable",
      message: expect.stringMatching(/^Cannot run this call: /),
    });
  });
});

describe("a network that the operator keeps off", () => {
  const off = (permissionProfile: object) => {
    const intent = intentOfState(read(stateWith({ permissionProfile })), "off");
    return intent.kind === "enforce" ? intent.context.profile : intent;
  };

  it.each([
    ["read-only with network", managed([root], "enabled")],
    ["an external sandbox", { type: "external", network: "enabled" }],
    ["no rules for files", { ...managed([], "enabled"), file_system: { type: "unrestricted" } }],
  ])("is off for %s", (_, profile) => {
    expect(off(profile)).toMatchObject({ type: profile.type, network: { kind: "restricted" } });
  });

  it("is off for a policy without a sandbox, which gets one for that alone", () => {
    expect(off({ type: "disabled" })).toEqual({
      type: "managed",
      fileSystem: { type: "unrestricted" },
      network: { kind: "restricted" },
      unixSockets: "none",
    });
  });

  it("is no sandbox where one is required", () => {
    const host = hostWith({ waivers: "refused" });
    const state = stateWith({ permissionProfile: { type: "disabled" } });
    expect(bind(state, { network: "off", host })).toMatchObject({
      kind: "refused",
      code: "unenforceable",
    });
  });

  it("changes nothing for a state that has none anyway", () => {
    expect(keyOf(stateWith({}), "off")).toBe(keyOf(stateWith({})));
  });

  it("is on only by the word of the state", () => {
    const state = read(stateWith({ permissionProfile: { type: "disabled" } }));
    expect(intentOfState(state, "asSent")).toMatchObject({
      context: { profile: { type: "disabled" } },
    });
  });
});
