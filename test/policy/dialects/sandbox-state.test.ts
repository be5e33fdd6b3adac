import { describe, expect, it } from "vitest";
import {
  bindProfile,
  type PermissionProfile,
  readSandboxState,
  type SandboxState,
  writeSandboxState,
} from "../../../src/policy/index.ts";
import { accesses, HOST, wireOf } from "../support/profiles.ts";
import { expectRefusal } from "../support/refusal.ts";

const PROFILE = wireOf([
  [":root", "read"],
  ["/r/secret", "deny"],
]);
const POLICY = { type: "danger-full-access" };
const G1 = {
  sandboxPolicy: POLICY,
  sandboxCwd: "/r",
  codexLinuxSandboxExe: null,
  useLegacyLandlock: false,
};
const G2 = { ...G1, permissionProfile: PROFILE };
const G3 = {
  permissionProfile: PROFILE,
  sandboxCwd: "file:///r",
  codexLinuxSandboxExe: "/opt/helper",
  useLegacyLandlock: true,
};
const G4 = { ...G3, useMxc: false };

describe("readSandboxState", () => {
  it.each([
    ["G1", G1],
    ["G2", G2],
    ["G3", G3],
    ["G4", G4],
  ])("tells %s by its members and writes it back", (generation, value) => {
    const state = readSandboxState(value);
    expect(state.generation).toBe(generation);
    expect(writeSandboxState(state, "refuse")).toEqual(value);
    expect(readSandboxState(writeSandboxState(state, "refuse"))).toEqual(state);
  });

  it("takes the profile over the wider policy beside it", () => {
    const bound = bindProfile(readSandboxState(G2).profile, HOST);
    expect(bound.enforcement).toBe("managed");
    expect(accesses(bound, ["/r/f", "/r/secret"])).toEqual({ "/r/f": "read", "/r/secret": "deny" });
  });

  it("takes the policy when there is no profile", () => {
    expect(readSandboxState(G1).profile).toEqual({ type: "disabled" });
  });

  it.each([
    ["/srv/a b", "file:///srv/a%20b"],
    ["file:///srv/a%20b", "file:///srv/a%20b"],
    ["C:\\a", "file:///C:/a"],
    ["file:///%00/bad/path/L0M6L3g", "file:///%00/bad/path/L0M6L3g"],
  ])("reads the cwd %s in any generation", (sandboxCwd, cwd) => {
    expect(readSandboxState({ ...G1, sandboxCwd }).cwd).toBe(cwd);
    expect(readSandboxState({ ...G4, sandboxCwd }).cwd).toBe(cwd);
  });

  it("fills in what older writers leave out", () => {
    expect(readSandboxState({ permissionProfile: PROFILE, sandboxCwd: "/r" })).toMatchObject({
      generation: "G3",
      codexLinuxSandboxExe: null,
      useLegacyLandlock: false,
    });
  });

  it.each<[string, unknown, string]>([
    ["nothing", undefined, '"sandboxState": missing'],
    ["null", null, '"sandboxState": found null'],
    ["a string", "x", '"sandboxState": found "x"'],
    ["a list", [], "sandboxState.permissionProfile"],
    ["an empty object", {}, "sandboxState.permissionProfile"],
    ["neither profile nor policy", { sandboxCwd: "/r" }, "sandboxState.permissionProfile"],
    [
      "an undefined profile",
      { permissionProfile: undefined, sandboxCwd: "/r" },
      "permissionProfile",
    ],
    ["a null profile", { ...G3, permissionProfile: null }, 'permissionProfile": found null'],
    ["a null profile beside a policy", { ...G2, permissionProfile: null }, "permissionProfile"],
    [
      "a null policy beside a profile",
      { ...G2, sandboxPolicy: null },
      'sandboxPolicy": found null',
    ],
    ["a profile of unknown type", { ...G3, permissionProfile: { type: "open" } }, '"open"'],
    ["a policy in camel case", { ...G1, sandboxPolicy: { type: "readOnly" } }, '"readOnly"'],
    ["a malformed policy beside a profile", { ...G2, sandboxPolicy: {} }, "sandboxPolicy.type"],
    ["no cwd", { permissionProfile: PROFILE }, "sandboxState.sandboxCwd"],
    ["an empty cwd", { ...G3, sandboxCwd: "" }, "sandboxState.sandboxCwd"],
    ["a relative cwd", { ...G3, sandboxCwd: "r" }, "sandboxState.sandboxCwd"],
    ["a cwd that is no file", { ...G3, sandboxCwd: "http://h/r" }, "`http`"],
    ["a helper that is no text", { ...G3, codexLinuxSandboxExe: 1 }, "codexLinuxSandboxExe"],
    ["a flag that is no flag", { ...G3, useLegacyLandlock: "no" }, "useLegacyLandlock"],
    ["a null flag", { ...G4, useMxc: null }, "useMxc"],
  ])("fails closed on %s", (_, value, named) => {
    expect(() => readSandboxState(value)).toThrow(
      expect.objectContaining({ name: "PolicyError", message: expect.stringContaining(named) }),
    );
  });

  it.each(["deniedDomains", "networkPolicy", "readOnlyRoots", "maxDepth", "writablePathsExcluded"])(
    "refuses the unknown member %s, which may be a restriction",
    (member) => {
      expectRefusal(() => readSandboxState({ ...G4, [member]: [] }), "unknown", member);
    },
  );

  it.each(["codexExecutable", "environmentId", "traceparent"])(
    "lets the unknown member %s of a newer client pass",
    (member) => {
      expect(readSandboxState({ ...G4, [member]: "x" })).toEqual(readSandboxState(G4));
    },
  );
});

describe("writeSandboxState", () => {
  const limited: PermissionProfile = { type: "disabled", limits: { processes: 8 } };

  it("refuses limits that a profile cannot say, and carries them on request", () => {
    const state: SandboxState = { ...readSandboxState(G4), profile: limited };
    expectRefusal(() => writeSandboxState(state, "refuse"), "unrepresentable", "limits");
    const written = writeSandboxState(state, "carry");
    expect(written).toMatchObject({ permissionProfile: { writ: { limits: { processes: 8 } } } });
    expect(readSandboxState(written)).toEqual(state);
  });

  it.each(["refuse", "carry"] as const)(
    "refuses to write a profile as a G1 state that has no words for it (%s)",
    (extension) => {
      const state: SandboxState = { ...readSandboxState(G1), profile: limited };
      expectRefusal(() => writeSandboxState(state, extension), "unrepresentable", "limits");
    },
  );

  it("refuses to write a G1 state whose policy is wider than its profile", () => {
    const state: SandboxState = { ...readSandboxState(G1), profile: readSandboxState(G3).profile };
    expectRefusal(() => writeSandboxState(state, "refuse"), "unrepresentable", "");
  });

  it("refuses a cwd that an older generation cannot spell as a plain path", () => {
    const { cwd } = readSandboxState({ ...G3, sandboxCwd: "file:///srv%2Fx" });
    const write = () => writeSandboxState({ ...readSandboxState(G1), cwd }, "refuse");
    expectRefusal(write, "unrepresentable", "file:///srv%2Fx");
  });
});
