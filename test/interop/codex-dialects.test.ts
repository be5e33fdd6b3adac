/** What our writers write, the real Codex reads; what it refuses, our readers refuse too. */
import { describe, expect, it } from "vitest";
import {
  type PermissionProfile,
  policyForMode,
  profileOfPolicy,
  readSandboxState,
  type SandboxPolicy,
  uriOfNative,
  writeSandboxState,
} from "../../src/policy/index.ts";
import { codexSandbox, labFolder } from "./support/codex.ts";

function written(profile: PermissionProfile, cwd: string) {
  return writeSandboxState(
    {
      generation: "G3",
      profile,
      cwd: uriOfNative(cwd),
      codexLinuxSandboxExe: null,
      useLegacyLandlock: false,
    },
    "refuse",
  );
}

const workspace = policyForMode("workspace-write");
const restricted: SandboxPolicy = {
  type: "readOnly",
  access: { type: "restricted", includePlatformDefaults: true, readableRoots: ["/srv"] },
  networkAccess: false,
};

describe("writeSandboxState", () => {
  it.each<[string, PermissionProfile]>([
    ["read-only", profileOfPolicy(policyForMode("read-only"))],
    ["workspace-write", profileOfPolicy(workspace)],
    ["danger-full-access", profileOfPolicy(policyForMode("danger-full-access"))],
    ["external", { type: "external", unixSockets: "none", network: { kind: "restricted" } }],
    ["restricted reads", profileOfPolicy(restricted)],
    [
      "unrestricted files",
      {
        type: "managed",
        unixSockets: "none",
        fileSystem: { type: "unrestricted" },
        network: { kind: "restricted" },
      },
    ],
  ])("writes %s so that Codex runs a command under it", (_, profile) => {
    const folder = labFolder();
    const answer = codexSandbox(written(profile, folder), ["echo", "ran"], `${folder}/home`);
    expect(answer, answer.stderr).toMatchObject({ status: 0, stdout: "ran\n" });
  });
});

describe("readSandboxState", () => {
  const good = written(profileOfPolicy(workspace), "/srv");
  const withProfile = (permissionProfile: unknown) => ({ ...good, permissionProfile });

  it.each<[string, unknown]>([
    ["no profile", { ...good, permissionProfile: undefined }],
    ["no folder", { ...good, sandboxCwd: undefined }],
    ["a folder that is no URI and no path", { ...good, sandboxCwd: "srv" }],
    ["an unknown type", withProfile({ type: "off" })],
    [
      "managed without a network",
      withProfile({ type: "managed", file_system: { type: "unrestricted" } }),
    ],
    [
      "restricted without entries",
      withProfile({ type: "managed", file_system: { type: "restricted" }, network: "restricted" }),
    ],
  ])("refuses %s, as Codex does", (_, spoilt) => {
    const state = JSON.parse(JSON.stringify(spoilt));
    const folder = labFolder();
    expect(codexSandbox(state, ["echo", "ran"], `${folder}/home`).stdout).not.toContain("ran");
    expect(() => readSandboxState(state)).toThrow(/Cannot read/);
  });
});
