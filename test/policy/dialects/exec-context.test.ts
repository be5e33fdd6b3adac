import { describe, expect, it } from "vitest";
import {
  type ExecContext,
  type PermissionProfile,
  readExecContext,
  writeExecContext,
} from "../../../src/policy/index.ts";
import { wireOf } from "../support/profiles.ts";
import { expectRefusal } from "../support/refusal.ts";

const MINIMAL = { permissions: { type: "disabled" }, windowsSandboxLevel: "disabled" };
const FULL = {
  permissions: wireOf([
    [":root", "read"],
    ["file:///srv/data", "write"],
    ["file:///C:/x", "deny"],
    ["file:///srv%2Fx", "deny"],
    ["file:///%00/bad/path/L0M6L3g", "deny"],
    ["glob:codex-project-roots://**/*.env", "deny"],
  ]),
  cwd: "file:///srv/app",
  workspaceRoots: ["file:///srv/app", "file://server/share"],
  policyContext: { cwd: "file:///policy", workspaceRoots: ["file:///policy/a"] },
  windowsSandboxLevel: "restricted-token",
  windowsSandboxPrivateDesktop: true,
  windowsSandboxProxySettingsMode: "preserve",
  useLegacyLandlock: false,
  sandboxOverride: "noOverride",
  userHomeDir: "file:///home/user",
  temporaryDirectories: ["file:///tmp"],
};

describe("readExecContext", () => {
  it("reads every setting and writes it back", () => {
    const context = readExecContext(FULL);
    expect(writeExecContext(context, "refuse")).toEqual(FULL);
    expect(readExecContext(writeExecContext(context, "refuse"))).toEqual(context);
  });

  it("reads the least there can be", () => {
    expect(readExecContext(MINIMAL)).toEqual({
      profile: { type: "disabled" },
      workspaceRoots: [],
      settings: { windowsSandboxLevel: "disabled" },
    });
    expect(writeExecContext(readExecContext(MINIMAL), "refuse")).toEqual(MINIMAL);
  });

  it("leaves an empty list of roots out", () => {
    const context = readExecContext({ ...MINIMAL, workspaceRoots: [] });
    expect(writeExecContext(context, "refuse")).toEqual(MINIMAL);
  });

  it.each([
    [null, undefined],
    [{}, { workspaceRoots: [] }],
    [{ cwd: "file:/p" }, { cwd: "file:///p", workspaceRoots: [] }],
    [{ workspaceRoots: ["file:///p"] }, { workspaceRoots: ["file:///p"] }],
  ])("keeps the policy context %j apart", (policyContext, expected) => {
    const context = readExecContext({ ...FULL, policyContext });
    expect(context.policyContext).toEqual(expected);
    expect(context).toMatchObject({ cwd: "file:///srv/app" });
    expect(readExecContext(writeExecContext(context, "refuse"))).toEqual(context);
  });

  it.each(["disabled", "restricted-token", "elevated", "mxc"])("knows the level %s", (level) => {
    expect(readExecContext({ ...MINIMAL, windowsSandboxLevel: level }).settings).toEqual({
      windowsSandboxLevel: level,
    });
  });

  it.each(["noOverride", "escalatedSandboxWithRestrictions", "bypassSandboxFirstAttempt"])(
    "keeps the override %s",
    (sandboxOverride) => {
      expect(readExecContext({ ...MINIMAL, sandboxOverride }).settings).toMatchObject({
        sandboxOverride,
      });
    },
  );

  it.each<[string, unknown, string]>([
    ["nothing", undefined, '"sandbox": missing'],
    ["null", null, '"sandbox": found null'],
    ["no permissions", { windowsSandboxLevel: "disabled" }, "sandbox.permissions"],
    ["null permissions", { ...MINIMAL, permissions: null }, "sandbox.permissions"],
    ["a native cwd", { ...MINIMAL, cwd: "/r" }, "sandbox.cwd"],
    ["a null cwd", { ...MINIMAL, cwd: null }, "sandbox.cwd"],
    [
      "roots that are no list",
      { ...MINIMAL, workspaceRoots: "file:///r" },
      "sandbox.workspaceRoots",
    ],
    ["an unknown level", { ...MINIMAL, windowsSandboxLevel: "off" }, "windowsSandboxLevel"],
    ["an unknown override", { ...MINIMAL, sandboxOverride: "all" }, "sandboxOverride"],
    ["an unknown proxy mode", { ...MINIMAL, windowsSandboxProxySettingsMode: "x" }, "SettingsMode"],
    ["a home that is no URI", { ...MINIMAL, userHomeDir: "/h" }, "userHomeDir"],
    [
      "a temporary folder that is no URI",
      { ...MINIMAL, temporaryDirectories: ["/t"] },
      "Directories[0]",
    ],
    ["a foreign policy cwd", { ...MINIMAL, policyContext: { cwd: "/p" } }, "policyContext.cwd"],
    ["a policy context that is no object", { ...MINIMAL, policyContext: [] }, "policyContext"],
  ])("refuses %s", (_, value, named) => {
    expect(() => readExecContext(value)).toThrow(
      expect.objectContaining({ name: "PolicyError", message: expect.stringContaining(named) }),
    );
  });

  it.each(["executionId", "traceContext", "shellName"])("lets the unknown %s pass", (member) => {
    expect(readExecContext({ ...FULL, [member]: 1 })).toEqual(readExecContext(FULL));
  });

  it.each(["readOnlyRoots", "networkProxy", "deniedPaths", "maxOutput", "enforceManagedNetwork"])(
    "refuses the unknown %s, which may be a restriction",
    (member) => {
      expectRefusal(
        () => readExecContext({ ...FULL, [member]: 1 }),
        "unknown",
        `sandbox.${member}`,
      );
    },
  );

  it("refuses an unknown restriction inside the policy context", () => {
    const policyContext = { ...FULL.policyContext, readOnlyRoots: ["file:///policy/b"] };
    const read = () => readExecContext({ ...FULL, policyContext });
    expectRefusal(read, "unknown", "readOnlyRoots");
  });
});

describe("writeExecContext", () => {
  const profile: PermissionProfile = {
    type: "external",
    unixSockets: "none",
    network: {
      kind: "ruled",
      rules: {
        mode: "limited",
        domains: {},
        ports: [443],
        unixSockets: {},
        allowLocalBinding: false,
      },
    },
    limits: { memoryBytes: 1024 },
  };
  const context: ExecContext = { ...readExecContext(FULL), profile };

  it("refuses limits and network rules without an extension", () => {
    expectRefusal(
      () => writeExecContext(context, "refuse"),
      "unrepresentable",
      "limits and network",
    );
  });

  it("carries them beside the word restricted", () => {
    const written = writeExecContext(context, "carry");
    expect(written.permissions).toMatchObject({ type: "external", network: "restricted" });
    expect(readExecContext(JSON.parse(JSON.stringify(written)))).toEqual(context);
  });
});
