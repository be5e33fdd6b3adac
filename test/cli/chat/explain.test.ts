import { describe, expect, it } from "vitest";
import type { ChatSettings } from "../../../src/cli/chat/chat-settings.ts";
import { explainInThread } from "../../../src/cli/chat/explain-in-thread.ts";
import { execHostOf } from "../../../src/cli/exec/exec-host-of.ts";
import { bindIntent } from "../../../src/exec/index.ts";
import {
  boundDigest,
  parseAbsolutePath,
  policyForMode,
  profileOfPolicy,
  uriOfNative,
  writeCanonicalProfile,
} from "../../../src/policy/index.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

async function setUp() {
  const cwd = temporaryFolder();
  const world = {
    ...{ out() {}, err() {}, env: { WRIT_HOME: `${cwd}/.writ` }, cwd, home: cwd, hostname: "h" },
    platform: "linux",
  };
  const profile = profileOfPolicy(policyForMode("workspace-write"));
  const place = { flags: {}, world, reachable: false, secrets: [], settings: [] };
  const host = await execHostOf(place);
  const context = {
    ...{ profile, cwd: uriOfNative(cwd), workspaceRoots: [uriOfNative(cwd)] },
    settings: { windowsSandboxLevel: "disabled" as const },
  };
  const { bound } = bindIntent({ kind: "enforce", context }, parseAbsolutePath(cwd), {
    ...host,
    bounds: { ...host.bounds, roots: "any" },
  });
  const writ = {
    permissionProfile: writeCanonicalProfile(profile, "carry"),
    boundDigest: boundDigest(bound),
  };
  const settings = { cwd, writ } as ChatSettings;
  return { settings, workspaceRoots: [cwd], world };
}

describe("explainInThread", () => {
  it("answers where the policy means here what it means there", async () => {
    const thread = await setUp();
    expect(await explainInThread("a", thread)).toMatchObject({ access: "write" });
    expect(await explainInThread("/etc", thread)).toMatchObject({ access: "read" });
    expect(await explainInThread(".writ/config.toml", thread)).toMatchObject({ access: "deny" });
  });

  it.each([
    ["another machine says", "0".repeat(64)],
    ["nobody says", null],
  ])("refuses to guess what %s", async (_, digest) => {
    const { settings, ...rest } = await setUp();
    const elsewhere = { ...settings, writ: { ...settings.writ, boundDigest: digest } };
    await expect(explainInThread("a", { settings: elsewhere, ...rest })).rejects.toThrow(
      /^Cannot explain "a": the policy means something else/,
    );
  });

  it("refuses where the folders are others", async () => {
    const thread = await setUp();
    await expect(explainInThread("a", { ...thread, workspaceRoots: ["/srv"] })).rejects.toThrow(
      /^Cannot explain/,
    );
  });
});
