import { mkdirSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { ChatSettings } from "../../../src/cli/chat/chat-settings.ts";
import { ChatInputError } from "../../../src/cli/chat/commands/chat-command.ts";
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

  it("answers about the home of whoever asks where a path begins with ~", async () => {
    const thread = await setUp();
    const world = { ...thread.world, home: "/srv/me" };
    const placeOf = async (text: string) =>
      (await explainInThread(text, { ...thread, world })).path;
    expect(await placeOf("~/x")).toBe("/srv/me/x");
    expect(await placeOf("~")).toBe("/srv/me");
    expect(await placeOf("~x")).toBe(`${thread.settings.cwd}/~x`);
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

  it.each([
    ["with a NUL", "a\0b"],
    ["with half a character", "a\ud800"],
    ["longer than any", "x".repeat(9000)],
  ])("refuses a path %s as a mistake of that line", async (_, text) => {
    const thread = await setUp();
    await expect(explainInThread(text, thread)).rejects.toThrow(ChatInputError);
  });

  it("refuses under settings that were broken meanwhile as a mistake of that line", async () => {
    const thread = await setUp();
    mkdirSync(`${thread.settings.cwd}/.writ`, { recursive: true });
    writeFileSync(`${thread.settings.cwd}/.writ/config.toml`, "a = = 1");
    await expect(explainInThread("a", thread)).rejects.toThrow(ChatInputError);
  });

  it("refuses where the folders are others", async () => {
    const thread = await setUp();
    await expect(explainInThread("a", { ...thread, workspaceRoots: ["/srv"] })).rejects.toThrow(
      /^Cannot explain/,
    );
  });
});
