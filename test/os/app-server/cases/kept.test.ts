import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { AppClient, Message } from "../support/app-client.ts";
import { AppLab, WAYS } from "../support/app-lab.ts";
import { ran, refusedThread } from "../support/case-app.ts";
import {
  FULL_ACCESS,
  MALFORMED_POLICIES,
  READ_ONLY,
  WORKSPACE_WRITE,
} from "../support/policies.ts";

const DEV = `[permissions.dev]\nextends = ":workspace"\n[permissions.dev.network]\nenabled = true\n`;

describe.each(WAYS)("a thread that is kept over %s", (over) => {
  const labFor = (config = DEV) => new AppLab({ over, config, token: "sesame" });
  const begun = async (lab: AppLab, params: object, turn: object = {}) => {
    const client = await lab.client();
    const started = await client.ok("thread/start", { cwd: lab.place.workspace, ...params });
    await client.turn(started.thread.id, "say hello", turn);
    return { client, started, threadId: started.thread.id as string };
  };
  const again = async (lab: AppLab, client: AppClient, config?: string) => {
    client.close();
    await lab.stop();
    if (config !== undefined) lab.configure(config);
    return lab.client();
  };
  const shown = ({ sandbox, activePermissionProfile }: Message["result"]) => ({
    ...{ sandbox, activePermissionProfile },
  });

  it.each<[string, object]>([
    ["F01 a named profile", { permissions: "dev" }],
    ["F01 a built-in profile", { permissions: ":workspace" }],
    ["F02 readOnly", { sandboxPolicy: { type: "readOnly", networkAccess: true } }],
    ["F02 the mode read-only", { sandbox: "read-only" }],
    ["F02 dangerFullAccess", { sandboxPolicy: FULL_ACCESS }],
    ["F07 workspaceWrite", { sandboxPolicy: { ...WORKSPACE_WRITE, excludeSlashTmp: true } }],
    [
      "F07 restricted reads",
      { sandboxPolicy: { type: "readOnly", access: { type: "restricted", readableRoots: ["/"] } } },
    ],
  ])("comes back under %s, whatever the default is by then", async (_, params) => {
    const lab = labFor();
    const { client, started, threadId } = await begun(lab, params);
    const later = await again(
      lab,
      client,
      `${DEV}`.replace(/^/, 'sandbox_mode = "danger-full-access"\n'),
    );
    const resumed = await later.ok("thread/resume", { threadId });
    expect(shown(resumed)).toEqual(shown(started));
    expect(resumed.writ).toEqual(started.writ);
  });

  it("F01 comes back under what a turn has set, with its folder and its roots", async () => {
    const lab = labFor();
    const { workspace, outside } = lab.place;
    const roots = { cwd: outside, runtimeWorkspaceRoots: [outside, workspace] };
    const { client, threadId } = await begun(
      lab,
      { sandbox: "danger-full-access" },
      { permissions: ":workspace", ...roots },
    );
    const resumed = await (await again(lab, client)).ok("thread/resume", { threadId });
    expect(resumed).toMatchObject({
      ...roots,
      activePermissionProfile: { id: ":workspace" },
      sandbox: { ...WORKSPACE_WRITE, writableRoots: [workspace] },
    });
  });

  it.each<[object, object]>([
    [{ sandbox: "read-only" }, { sandbox: READ_ONLY, activePermissionProfile: null }],
    [{ sandboxPolicy: FULL_ACCESS }, { sandbox: FULL_ACCESS, activePermissionProfile: null }],
    [{ permissions: "dev" }, { activePermissionProfile: { id: "dev", extends: ":workspace" } }],
    [{ config: { sandbox_mode: "read-only" } }, { sandbox: READ_ONLY }],
    [{ config: { default_permissions: "dev" } }, { activePermissionProfile: { id: "dev" } }],
  ])("F03 N23 follows the override %j, and keeps it without a turn", async (override, echo) => {
    const lab = labFor();
    const { client, threadId } = await begun(lab, { sandbox: "workspace-write" });
    const second = await again(lab, client);
    expect(await second.ok("thread/resume", { threadId, ...override })).toMatchObject(echo);
    const third = await again(lab, second);
    expect(await third.ok("thread/resume", { threadId })).toMatchObject(echo);
  });

  it("F03 is refused an override that cannot be meant, and keeps what it had", async () => {
    const lab = labFor();
    const { client, started, threadId } = await begun(lab, { sandbox: "workspace-write" });
    const later = await again(lab, client);
    const wrong: object[] = [
      ...MALFORMED_POLICIES.map(([, sandboxPolicy]) => ({ sandboxPolicy })),
      { sandbox: "workspaceWrite" },
      { permissions: "nobody" },
      { permissions: ":workspace", sandbox: "read-only" },
      { permissions: ":workspace", sandboxPolicy: READ_ONLY },
      { cwd: "/", sandboxPolicy: { type: "workspaceWrite" } },
    ];
    for (const override of wrong) {
      await refusedThread(later, { threadId, ...override }, "thread/resume");
      await refusedThread(later, { threadId, ...override }, "thread/fork");
    }
    expect((await later.ok("thread/resume", { threadId })).writ).toEqual(started.writ);
  });

  it("F04 has its own policy while it is loaded, says so, and refuses what cannot be meant", async () => {
    const lab = labFor();
    const { client, started, threadId } = await begun(lab, { sandbox: "read-only" });
    const overrides = [{ sandbox: "danger-full-access" }, { sandboxPolicy: FULL_ACCESS }];
    for (const override of [...overrides, { permissions: "dev" }]) {
      const resumed = await client.ok("thread/resume", { threadId, ...override });
      expect([shown(resumed), resumed.writ]).toEqual([shown(started), started.writ]);
    }
    for (const [, sandboxPolicy] of MALFORMED_POLICIES) {
      const { code } = await client.refused("thread/resume", { threadId, sandboxPolicy });
      expect(code).toBe(-32600);
    }
    const file = path.join(lab.place.outside, "f04");
    await ran(client, threadId, `touch ${file}`);
    expect(existsSync(file)).toBe(false);
  });

  it("F05 is forked with its policy, or with another that the fork alone gets", async () => {
    const lab = labFor();
    const { client, started, threadId } = await begun(lab, { permissions: "dev" });
    const same = await client.ok("thread/fork", { threadId });
    expect(same.writ).toEqual(started.writ);
    expect(same.thread).toMatchObject({ forkedFromId: threadId, turns: [{}] });
    const other = await client.ok("thread/fork", { threadId, sandboxPolicy: READ_ONLY });
    expect(shown(other)).toEqual({ sandbox: READ_ONLY, activePermissionProfile: null });
    const file = path.join(lab.place.workspace, "f05");
    await ran(client, other.thread.id, `touch ${file}`);
    expect(existsSync(file)).toBe(false);
    await ran(client, same.thread.id, `touch ${file}`);
    expect(existsSync(file)).toBe(true);
    expect((await client.ok("thread/resume", { threadId })).writ).toEqual(started.writ);
  });

  it("F05 is forked after a restart too", async () => {
    const lab = labFor();
    const { client, started, threadId } = await begun(lab, { sandbox: "workspace-write" });
    const later = await again(lab, client, 'sandbox_mode = "danger-full-access"');
    expect((await later.ok("thread/fork", { threadId })).writ).toEqual(started.writ);
  });

  it("F06 is not found again where nothing was said in it, or it was not to be kept", async () => {
    const lab = labFor();
    const first = await lab.client();
    const { thread } = await first.ok("thread/start", { cwd: lab.place.workspace });
    const short = await first.ok("thread/start", { cwd: lab.place.workspace, ephemeral: true });
    await first.turn(short.thread.id, "say hello");
    const resumed = await first.ok("thread/resume", { threadId: thread.id });
    expect(resumed.thread).toMatchObject({ id: thread.id, turns: [] });
    const read = await first.ok("thread/read", { threadId: thread.id, includeTurns: true });
    expect(read.thread.turns).toEqual([]);
    const later = await again(lab, first);
    for (const threadId of [thread.id, short.thread.id]) {
      for (const method of ["thread/resume", "thread/fork"]) {
        expect(await later.refused(method, { threadId })).toEqual({
          code: -32600,
          message: `no rollout found for thread id ${threadId}`,
        });
      }
    }
  });
});
