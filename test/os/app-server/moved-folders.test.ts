/** What a policy means depends on its folders: moving them must not lose a deny, nor open another place. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { AppClient } from "./support/app-client.ts";
import { AppLab } from "./support/app-lab.ts";
import { ran } from "./support/case-app.ts";
import { WORKSPACE_WRITE } from "./support/policies.ts";
import { type Room, roomIn, standingApp } from "./support/standing-app.ts";

const DENIES =
  '[permissions.d]\nextends = ":workspace"\n[permissions.d.filesystem.":workspace_roots"]\n"secret" = "deny"\n';

const LIFTS = "which the current policy denies";

const deniedIn = async (client: AppClient, { workspace, outside }: Omit<Room, "give">) => {
  writeFileSync(`${workspace}/secret`, "hidden\n");
  const { thread } = await client.ok("thread/start", { cwd: workspace, permissions: "d" });
  const read = async (id: string) => (await ran(client, id, `cat ${workspace}/secret`)).output;
  expect(await read(thread.id)).toContain("Permission denied");
  return { client, id: thread.id as string, workspace, outside, read };
};

describe("a deny in the workspace holds, or the change is refused", () => {
  const app = standingApp({ settings: () => DENIES });
  const denied = async () => {
    const { client, place } = await app();
    return deniedIn(client, roomIn(place));
  };

  it("when only the folder moves", async () => {
    const { client, id, outside, read } = await denied();
    const moved = await client.refused("thread/settings/update", { threadId: id, cwd: outside });
    expect(moved.message).toContain(LIFTS);
    expect(await read(id)).not.toContain("hidden");
  });

  it("when only the roots change", async () => {
    const { client, id, outside, workspace } = await denied();
    const input = [{ type: "text", text: `cat ${workspace}/secret`, text_elements: [] }];
    const asked = { threadId: id, input, runtimeWorkspaceRoots: [outside] };
    expect((await client.refused("turn/start", asked)).message).toContain(LIFTS);
  });

  it("when a fork is put elsewhere", async () => {
    const { client, id, outside } = await denied();
    const forked = await client.refused("thread/fork", { threadId: id, cwd: outside });
    expect(forked.message).toContain(LIFTS);
  });

  it("when the thread is resumed elsewhere", async () => {
    const lab = new AppLab({ token: "sesame", config: DENIES });
    const { id, outside } = await deniedIn(await lab.client(), lab.place);
    await lab.stop();
    const client = await lab.client();
    const resumed = await client.refused("thread/resume", { threadId: id, cwd: outside });
    expect(resumed.message).toContain(LIFTS);
    await client.ok("thread/resume", { threadId: id });
  });

  it("when this machine is chosen as an environment with another folder", async () => {
    const { client, id, outside, workspace } = await denied();
    const environments = [{ environmentId: "local", cwd: outside }];
    const input = [{ type: "text", text: `cat ${workspace}/secret`, text_elements: [] }];
    const moved = await client.refused("turn/start", { threadId: id, input, environments });
    expect(moved.message).toContain(LIFTS);
  });
});

const PATTERNS =
  '[permissions.p]\nextends = ":workspace"\n[permissions.p.filesystem.":workspace_roots"]\n"**/*.env" = "deny"\n';

describe("what a pattern denies in the workspace stays so, or the change is refused", () => {
  const app = standingApp({ settings: () => PATTERNS });
  const hidden = async (among: "workspace" | "outside") => {
    const { client, place } = await app();
    const room = roomIn(place);
    const file = `${room[among]}/own.env`;
    writeFileSync(file, "hidden\n");
    const roots = { runtimeWorkspaceRoots: [room.workspace, room[among]] };
    const asked = { cwd: room.workspace, permissions: "p", ...roots };
    const { thread } = await client.ok("thread/start", asked);
    const read = async () => (await ran(client, thread.id, `cat ${file}`)).output;
    expect(await read()).toContain("Permission denied");
    return { ...room, client, threadId: thread.id as string, read };
  };

  it("when only the folder moves", async () => {
    const { client, threadId, outside, read } = await hidden("workspace");
    const moved = await client.refused("thread/settings/update", { threadId, cwd: outside });
    expect(moved.message).toContain(LIFTS);
    const forked = await client.refused("thread/fork", { threadId, cwd: outside });
    expect(forked.message).toContain(LIFTS);
    expect(await read()).not.toContain("hidden");
  });

  it("when a coarse policy takes a root away", async () => {
    const { client, threadId, read } = await hidden("outside");
    const asked = { threadId, sandboxPolicy: WORKSPACE_WRITE };
    expect((await client.refused("thread/settings/update", asked)).message).toContain(LIFTS);
    expect(await read()).not.toContain("hidden");
  });

  it("until the profile is named again", async () => {
    const { client, threadId, outside, workspace } = await hidden("workspace");
    const asked = { threadId, cwd: outside, permissions: "p" };
    await client.ok("thread/settings/update", asked);
    expect((await ran(client, threadId, `cat ${workspace}/own.env`)).exitCode).toBe(0);
  });
});

const plainApp = standingApp({});

describe("a folder for this machine as an environment", () => {
  it("is the folder that is shown, from the start on, or is refused", async () => {
    const { client, place } = await plainApp();
    const { workspace, outside } = roomIn(place);
    const environments = [{ environmentId: "local", cwd: outside }];
    const asked = { cwd: workspace, environments, sandboxPolicy: WORKSPACE_WRITE };
    expect((await client.refused("thread/start", asked)).message).toContain("expected one");
    const { cwd: _, ...alone } = asked;
    const { cwd, thread } = await client.ok("thread/start", alone);
    const { output } = await ran(client, thread.id, "pwd");
    expect([cwd, output.trim()]).toEqual([outside, outside]);
  });
});

describe("a folder that a thread was given", () => {
  it("is not followed to where a command of another thread made it lead", async () => {
    const { client, place } = await plainApp();
    const { workspace, outside } = roomIn(place);
    mkdirSync(`${workspace}/sub`);
    const at = async (cwd: string) => {
      const asked = { cwd, sandboxPolicy: WORKSPACE_WRITE };
      return (await client.ok("thread/start", asked)).thread.id;
    };
    const above = await at(workspace);
    const below = await at(`${workspace}/sub`);
    await ran(client, below, "true");
    await ran(client, above, `mv sub old && ln -s ${outside} sub`);
    await expect(client.turn(below, `touch ${outside}/x`)).rejects.toThrow(
      "as when the thread took it",
    );
    expect(existsSync(`${outside}/x`)).toBe(false);
  });
});

describe("roots that a profile brought", () => {
  it("go with it when another name replaces it", async () => {
    const lab = new AppLab({ token: "sesame" });
    const { workspace, outside } = lab.place;
    lab.configure(
      `[permissions.a]\nextends = ":read-only"\n[permissions.a.workspace_roots]\n"${outside}" = true\n`,
    );
    const client = await lab.client();
    const { thread } = await client.ok("thread/start", { cwd: workspace, permissions: "a" });
    await ran(client, thread.id, `touch ${outside}/x`, { permissions: ":workspace" });
    expect(existsSync(`${outside}/x`)).toBe(false);
  });
});
