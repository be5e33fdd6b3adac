import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { Message } from "../support/app-client.ts";
import { WAYS } from "../support/app-lab.ts";
import { type CaseApp, ran, refusedThread } from "../support/case-app.ts";
import {
  FULL_ACCESS,
  MALFORMED_POLICIES,
  READ_ONLY,
  WORKSPACE_WRITE,
} from "../support/policies.ts";
import { serversInTurn } from "../support/servers-in-turn.ts";
import { roomIn } from "../support/standing-app.ts";

const DEV = `[permissions.dev]\nextends = ":workspace"\n[permissions.dev.network]\nenabled = true\n`;
const WIDE = 'sandbox_mode = "danger-full-access"\n';

const ASKED: readonly (readonly [name: string, params: object])[] = [
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
];

const OVERRIDES: readonly (readonly [override: object, echo: object])[] = [
  [{ sandbox: "read-only" }, { sandbox: READ_ONLY, activePermissionProfile: null }],
  [{ sandboxPolicy: FULL_ACCESS }, { sandbox: FULL_ACCESS, activePermissionProfile: null }],
  [{ permissions: "dev" }, { activePermissionProfile: { id: "dev", extends: ":workspace" } }],
  [{ config: { sandbox_mode: "read-only" } }, { sandbox: READ_ONLY }],
  [{ config: { default_permissions: "dev" } }, { activePermissionProfile: { id: "dev" } }],
];

describe.each(WAYS)("a thread that is kept over %s", (over) => {
  const { earlier, last } = serversInTurn({
    over,
    settings: () => DEV,
    lastSettings: () => WIDE + DEV,
  });
  const begun = async ({ client, place }: CaseApp, params: object, turn: object = {}) => {
    const room = roomIn(place);
    const started = await client.ok("thread/start", { cwd: room.workspace, ...params });
    await client.turn(started.thread.id, "say hello", turn);
    return { started, threadId: started.thread.id as string, ...room };
  };
  /** The last server, with the user's settings of then. */
  const later = async (config = DEV) => {
    const app = await last();
    app.lab.configure(config);
    return app;
  };
  const shown = ({ sandbox, activePermissionProfile }: Message["result"]) => ({
    ...{ sandbox, activePermissionProfile },
  });

  for (const [name, params] of ASKED) {
    const past = earlier((app) => begun(app, params));

    it(`comes back under ${name}, whatever the default is by then`, async () => {
      const { started, threadId } = await past();
      const { client } = await later(WIDE + DEV);
      const resumed = await client.ok("thread/resume", { threadId });
      expect(shown(resumed)).toEqual(shown(started));
      expect(resumed.writ).toEqual(started.writ);
    });
  }

  const turned = earlier(async ({ client, place }) => {
    const { workspace, outside } = roomIn(place);
    const roots = { cwd: outside, runtimeWorkspaceRoots: [outside, workspace] };
    const asked = { cwd: workspace, sandbox: "danger-full-access" };
    const { thread } = await client.ok("thread/start", asked);
    await client.turn(thread.id, "say hello", { permissions: ":workspace", ...roots });
    return { threadId: thread.id, roots, workspace };
  });

  it("F01 comes back under what a turn has set, with its folder and its roots", async () => {
    const { threadId, roots, workspace } = await turned();
    const { client } = await later();
    expect(await client.ok("thread/resume", { threadId })).toMatchObject({
      ...roots,
      activePermissionProfile: { id: ":workspace" },
      sandbox: { ...WORKSPACE_WRITE, writableRoots: [workspace] },
    });
  });

  for (const [override, echo] of OVERRIDES) {
    const past = earlier((app) => begun(app, { sandbox: "workspace-write" }));
    const overridden = earlier(async ({ client }) => {
      const { threadId } = await past();
      return client.ok("thread/resume", { threadId, ...override });
    }, 1);

    it(`F03 N23 follows the override ${JSON.stringify(override)}, and keeps it without a turn`, async () => {
      const { threadId } = await past();
      expect(await overridden()).toMatchObject(echo);
      const { client } = await later();
      expect(await client.ok("thread/resume", { threadId })).toMatchObject(echo);
    });
  }

  const refusing = earlier((app) => begun(app, { sandbox: "workspace-write" }));

  it("F03 is refused an override that cannot be meant, and keeps what it had", async () => {
    const { started, threadId } = await refusing();
    const { client } = await later();
    const wrong: object[] = [
      ...MALFORMED_POLICIES.map(([, sandboxPolicy]) => ({ sandboxPolicy })),
      { sandbox: "workspaceWrite" },
      { permissions: "nobody" },
      { permissions: ":workspace", sandbox: "read-only" },
      { permissions: ":workspace", sandboxPolicy: READ_ONLY },
      { cwd: "/", sandboxPolicy: { type: "workspaceWrite" } },
    ];
    for (const override of wrong) {
      await refusedThread(client, { threadId, ...override }, "thread/resume");
      await refusedThread(client, { threadId, ...override }, "thread/fork");
    }
    expect((await client.ok("thread/resume", { threadId })).writ).toEqual(started.writ);
  });

  it("F04 has its own policy while it is loaded, says so, and refuses what cannot be meant", async () => {
    const app = await later();
    const { started, threadId, outside } = await begun(app, { sandbox: "read-only" });
    const { client } = app;
    const overrides = [{ sandbox: "danger-full-access" }, { sandboxPolicy: FULL_ACCESS }];
    for (const override of [...overrides, { permissions: "dev" }]) {
      const resumed = await client.ok("thread/resume", { threadId, ...override });
      expect([shown(resumed), resumed.writ]).toEqual([shown(started), started.writ]);
    }
    for (const [, sandboxPolicy] of MALFORMED_POLICIES) {
      const { code } = await client.refused("thread/resume", { threadId, sandboxPolicy });
      expect(code).toBe(-32600);
    }
    const file = path.join(outside, "f04");
    await ran(client, threadId, `touch ${file}`);
    expect(existsSync(file)).toBe(false);
  });

  it("F04 follows an override once nobody follows it, or refuses and keeps what it had", async () => {
    const app = await later();
    const { started, threadId, workspace } = await begun(app, { sandbox: "workspace-write" });
    const { client } = app;
    await client.ok("thread/unsubscribe", { threadId });
    await client.refused("thread/resume", { threadId, permissions: "nobody" });
    const left = await client.ok("thread/read", { threadId });
    expect(left.thread.status).toEqual({ type: "idle" });
    const resumed = await client.ok("thread/resume", { threadId, sandbox: "read-only" });
    expect(shown(resumed)).toEqual({ sandbox: READ_ONLY, activePermissionProfile: null });
    expect(resumed.thread.turns).toHaveLength(1);
    const file = path.join(workspace, "f04-left");
    await ran(client, threadId, `touch ${file}`);
    expect(existsSync(file)).toBe(false);
    expect(started.sandbox).toEqual(WORKSPACE_WRITE);
  });

  it("F04 is not loaded again for what holds already", async () => {
    const app = await later();
    const { client } = app;
    const { threadId } = await begun(app, { sandbox: "workspace-write" });
    await ran(client, threadId, 'echo mine > "$HOME/own"');
    await client.ok("thread/unsubscribe", { threadId });
    const again = { threadId, sandbox: "workspace-write", approvalPolicy: "on-request" };
    expect((await client.ok("thread/resume", again)).sandbox).toEqual(WORKSPACE_WRITE);
    expect((await ran(client, threadId, 'cat "$HOME/own"')).output).toBe("mine\n");
  });

  it("F05 is forked with its policy, or with another that the fork alone gets", async () => {
    const app = await later();
    const { started, threadId, workspace } = await begun(app, { permissions: "dev" });
    const { client } = app;
    const same = await client.ok("thread/fork", { threadId });
    expect(same.writ).toEqual(started.writ);
    expect(same.thread).toMatchObject({ forkedFromId: threadId, turns: [{}] });
    const other = await client.ok("thread/fork", { threadId, sandboxPolicy: READ_ONLY });
    expect(shown(other)).toEqual({ sandbox: READ_ONLY, activePermissionProfile: null });
    const file = path.join(workspace, "f05");
    await ran(client, other.thread.id, `touch ${file}`);
    expect(existsSync(file)).toBe(false);
    await ran(client, same.thread.id, `touch ${file}`);
    expect(existsSync(file)).toBe(true);
    expect((await client.ok("thread/resume", { threadId })).writ).toEqual(started.writ);
  });

  const forked = earlier((app) => begun(app, { sandbox: "workspace-write" }));

  it("F05 is forked after a restart too", async () => {
    const { started, threadId } = await forked();
    const { client } = await later(WIDE);
    expect((await client.ok("thread/fork", { threadId })).writ).toEqual(started.writ);
  });

  const forgotten = earlier(async ({ client, place }) => {
    const { workspace: cwd } = roomIn(place);
    const { thread } = await client.ok("thread/start", { cwd });
    const short = await client.ok("thread/start", { cwd, ephemeral: true });
    await client.turn(short.thread.id, "say hello");
    const resumed = await client.ok("thread/resume", { threadId: thread.id });
    expect(resumed.thread).toMatchObject({ id: thread.id, turns: [] });
    const read = await client.ok("thread/read", { threadId: thread.id, includeTurns: true });
    expect(read.thread.turns).toEqual([]);
    return [thread.id, short.thread.id];
  });

  it("F06 is not found again where nothing was said in it, or it was not to be kept", async () => {
    const ids = await forgotten();
    const { client } = await later();
    for (const threadId of ids) {
      for (const method of ["thread/resume", "thread/fork"]) {
        expect(await client.refused(method, { threadId })).toEqual({
          code: -32600,
          message: `no rollout found for thread id ${threadId}`,
        });
      }
    }
  });
});
