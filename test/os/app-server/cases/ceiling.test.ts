import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { AppClient, Message } from "../support/app-client.ts";
import { AppLab, WAYS } from "../support/app-lab.ts";
import { ended } from "../support/asking.ts";
import { ran, refusedThread } from "../support/case-app.ts";
import { FULL_ACCESS, READ_ONLY, WORKSPACE_WRITE } from "../support/policies.ts";
import { type Room, roomIn, standingApp } from "../support/standing-app.ts";

const MODES = 'allowed_sandbox_modes = ["read-only", "workspace-write"]\n';
const LOWER = 'allowed_sandbox_modes = ["read-only"]\n';
const PROFILES = `default_permissions = ":read-only"\n[allowed_permission_profiles]\n":read-only" = true\ndev = true\n`;
const DEV = `[permissions.dev]\nextends = ":workspace"\n`;
const say = (text: string) => [{ type: "text", text, text_elements: [] }];

/** Every way to ask for more than either ceiling allows, for a thread. */
const TOO_MUCH: readonly object[] = [
  { sandbox: "danger-full-access" },
  { sandboxPolicy: FULL_ACCESS },
  { permissions: ":danger-full-access" },
  { sandboxPolicy: { type: "externalSandbox" } },
  { config: { sandbox_mode: "danger-full-access" } },
  { config: { default_permissions: ":danger-full-access" } },
  {
    permissions: "adhoc",
    config: { permissions: { adhoc: { filesystem: { ":root": "write" } } } },
  },
];

describe.each(WAYS)("a ceiling over %s", (over) => {
  const flags = ["--ceiling", "../ceiling.toml"];
  const write = ({ workspace }: Pick<Room, "workspace">, text: string) =>
    writeFileSync(path.join(path.dirname(workspace), "ceiling.toml"), text);
  const startedUnder = (ceiling: string) =>
    standingApp({
      ...{ over, flags },
      settings: (place) => {
        write(place, ceiling);
        return DEV;
      },
    });
  const standing = { modes: startedUnder(MODES), profiles: startedUnder(PROFILES) };

  /** A server that was started under a ceiling, which others may have lowered, with folders of its own. */
  const under = async (kind: keyof typeof standing, config = DEV) => {
    const { lab, client, place } = await standing[kind]();
    const lower = (text: string) => write(place, text);
    lower(kind === "modes" ? MODES : PROFILES);
    lab.configure(config);
    return { client, lower, ...roomIn(place) };
  };
  /** A server that no other test has. */
  const labUnder = (ceiling: string) => {
    const lab = new AppLab({ over, config: DEV, token: "sesame", flags });
    const lower = (text: string) => write(lab.place, text);
    lower(ceiling);
    return { lab, lower };
  };
  const start = (client: AppClient, { workspace }: Pick<Room, "workspace">, params: object) =>
    client.ok("thread/start", { cwd: workspace, ...params });
  const expectRefusal = ({ code, message }: NonNullable<Message["error"]>, begins: string) => {
    expect(code).toBe(-32600);
    expect(message).toMatch(new RegExp(`^${begins}: .*(allowed|disallowed)`));
  };

  it.each(["modes", "profiles"] as const)(
    "K22 N03 of %s lets no thread begin with more, in any form",
    async (kind) => {
      const { client, workspace: cwd } = await under(kind);
      const from = client.notes.length;
      for (const params of TOO_MUCH) {
        for (const more of [{}, { approvalPolicy: "never" }]) {
          const error = await refusedThread(client, { cwd, ...params, ...more });
          expect([JSON.stringify(params), error.code]).toEqual([JSON.stringify(params), -32600]);
          expectRefusal(error, "invalid sandbox policy");
        }
      }
      expect(client.notes.slice(from).filter(({ method }) => method === "warning")).toEqual([]);
    },
  );

  it.each([
    ["modes", { sandbox: "workspace-write" }],
    ["profiles", { permissions: "dev" }],
  ] as const)("K22 N03 of %s binds turns and updates of a thread", async (kind, params) => {
    const { client, ...room } = await under(kind);
    const started = await start(client, room, params);
    const threadId = started.thread.id;
    const file = path.join(room.outside, "k22");
    for (const more of [{ sandboxPolicy: FULL_ACCESS }, { permissions: ":danger-full-access" }]) {
      const calls: [string, object][] = [
        ["turn/start", { input: say(`touch ${file}`) }],
        ["thread/settings/update", {}],
      ];
      for (const [method, needs] of calls) {
        const error = await client.refused(method, { threadId, ...needs, ...more });
        expectRefusal(error, "invalid thread settings override");
      }
    }
    expect((await client.ok("thread/resume", { threadId })).writ).toEqual(started.writ);
    expect(existsSync(file)).toBe(false);
  });

  it.each(["modes", "profiles"] as const)(
    "K22 N03 of %s binds command/exec, in both forms",
    async (kind) => {
      const { client, outside } = await under(kind);
      const file = path.join(outside, "k22");
      const command = ["/bin/sh", "-c", `: > ${file}`];
      const full = await client.refused("command/exec", { command, sandboxPolicy: FULL_ACCESS });
      expectRefusal(full, "invalid sandbox policy");
      const permissionProfile = ":danger-full-access";
      const named = await client.refused("command/exec", { command, permissionProfile });
      expectRefusal(named, "invalid permission profile");
      expect(existsSync(file)).toBe(false);
    },
  );

  it("N03 of profiles takes a policy only where it is one that the list names", async () => {
    const { client, ...room } = await under("profiles");
    const cwd = room.workspace;
    for (const sandboxPolicy of [WORKSPACE_WRITE, { ...READ_ONLY, networkAccess: true }]) {
      const error = await refusedThread(client, { cwd, sandboxPolicy });
      expectRefusal(error, "invalid sandbox policy");
    }
    expect(await start(client, room, { sandboxPolicy: READ_ONLY })).toMatchObject({
      sandbox: READ_ONLY,
    });
  });

  it.each<[string, object]>([
    ["under the same name", { dev: { filesystem: { ":root": "write" } } }],
    ["a part of it", { dev: { network: { enabled: true } } }],
    ["under the name that it extends", { base: { filesystem: { "/srv": "write" } } }],
  ])("N03 of profiles does not mean what a request sends %s", async (_, permissions) => {
    const own = `[permissions.base]\nextends = ":workspace"\n[permissions.dev]\nextends = "base"\n`;
    const { client, ...room } = await under("profiles", own);
    const named = await start(client, room, { permissions: "dev" });
    const config = { permissions };
    const cwd = room.workspace;
    const error = await refusedThread(client, { cwd, permissions: "dev", config });
    expectRefusal(error, "invalid sandbox policy");
    const chosen = { ...config, default_permissions: "dev" };
    expectRefusal(await refusedThread(client, { cwd, config: chosen }), "invalid sandbox policy");
    const threadId = named.thread.id;
    await client.turn(threadId, "say hello");
    await refusedThread(client, { threadId, permissions: "dev", config }, "thread/fork");
  });

  it("N03 of profiles means what a name stands for now, and not what was kept under it", async () => {
    const { lab, lower } = labUnder(MODES);
    const first = await lab.client();
    const { thread } = await start(first, lab.place, { permissions: "dev" });
    const threadId = thread.id;
    await first.turn(threadId, "say hello");
    first.close();
    await lab.stop();
    lower(PROFILES);
    const wider = `${DEV}[permissions.dev.filesystem]\n"/srv" = "write"\n`;
    lab.configure(wider);
    const client = await lab.client();
    const error = await refusedThread(client, { threadId }, "thread/resume");
    expectRefusal(error, "invalid sandbox policy");
    lab.configure('[permissions.dev]\nextends = ":read-only"\n');
    lab.place.give();
    const resumed = await client.ok("thread/resume", { threadId });
    expect(resumed).toMatchObject({
      sandbox: READ_ONLY,
      writ: { profile: { state: "redefined" } },
    });
  });

  it.each<[object, object]>([
    [{ sandbox: "read-only" }, READ_ONLY],
    [{ permissions: ":read-only" }, READ_ONLY],
    [{ sandboxPolicy: READ_ONLY }, READ_ONLY],
    [{}, READ_ONLY],
  ])("N04 makes nothing wider of %j", async (params, echo) => {
    for (const kind of ["modes", "profiles"] as const) {
      const { client, ...room } = await under(kind);
      const started = await start(client, room, params);
      expect(started.sandbox).toEqual(echo);
      await ran(client, started.thread.id, `touch ${room.workspace}/n04`);
      expect(existsSync(`${room.workspace}/n04`)).toBe(false);
    }
  });

  it("N04 refuses the user's own default where that is more, and takes no other", async () => {
    const { client, workspace: cwd } = await under(
      "modes",
      'sandbox_mode = "danger-full-access"\n',
    );
    const error = await refusedThread(client, { cwd });
    expectRefusal(error, "invalid sandbox policy");
    expect((await client.refused("command/exec", { command: ["true"] })).code).toBe(-32600);
  });

  it("that was lowered refuses the next turn of a loaded thread, and what else would run in it", async () => {
    const { client, lower, ...room } = await under("modes");
    const { thread } = await start(client, room, { sandbox: "workspace-write" });
    const threadId = thread.id;
    const file = path.join(room.workspace, "lowered");
    await ran(client, threadId, `touch ${file}-before`);
    lower(LOWER);
    const calls: [string, object][] = [
      ["turn/start", { input: say(`touch ${file}`) }],
      ["thread/settings/update", {}],
      ["thread/shellCommand", { command: `touch ${file}` }],
    ];
    for (const [method, needs] of calls) {
      expectRefusal(
        await client.refused(method, { threadId, ...needs }),
        "invalid thread settings override",
      );
    }
    expect([existsSync(`${file}-before`), existsSync(file)]).toEqual([true, false]);
    const less = await ran(client, threadId, `touch ${file}`, { sandboxPolicy: READ_ONLY });
    expect(less).toMatchObject({ exitCode: 1, output: expect.stringContaining("Read-only") });
    expect(existsSync(file)).toBe(false);
  });

  it("that was lowered refuses to resume or fork a thread that is over it, until it asks for less", async () => {
    const { lab, lower } = labUnder(MODES);
    const first = await lab.client();
    const { thread } = await start(first, lab.place, { sandbox: "workspace-write" });
    const threadId = thread.id;
    await first.turn(threadId, "say hello");
    first.close();
    await lab.stop();
    lower(LOWER);
    const client = await lab.client();
    for (const method of ["thread/resume", "thread/fork"]) {
      for (const more of [{}, { sandbox: "workspace-write" }, { permissions: ":workspace" }]) {
        expect((await refusedThread(client, { threadId, ...more }, method)).code).toBe(-32600);
      }
    }
    const resumed = await client.ok("thread/resume", { threadId, sandbox: "read-only" });
    expect(resumed.sandbox).toEqual(READ_ONLY);
  });

  it.each(["", "allowed_sandbox_modes = 5", 'allowed_sandbox_modes = ["nothing"]'])(
    "that cannot be read refuses everything: %j",
    async (broken) => {
      const { client, lower, ...room } = await under("modes");
      const { thread } = await start(client, room, { sandbox: "workspace-write" });
      lower(broken === "" ? "[" : broken);
      await refusedThread(client, { cwd: room.workspace, sandbox: "read-only" });
      await client.refused("command/exec", { command: ["true"] });
      await client.refused("turn/start", { threadId: thread.id, input: say("true") });
    },
  );

  it("denies what its file hides, under every policy, and refuses those that it cannot hold", async () => {
    const { lab, lower } = labUnder(MODES);
    const secret = path.join(lab.place.workspace, "secret");
    writeFileSync(secret, "hidden-words");
    lower(`[permissions.filesystem]\ndeny_read = ["${secret}"]\n`);
    const client = await lab.client();
    for (const params of [{ sandbox: "read-only" }, { permissions: ":workspace" }]) {
      const { thread } = await start(client, lab.place, params);
      const { output } = await ran(client, thread.id, `cat ${secret}`);
      expect(output).not.toContain("hidden-words");
    }
    const over = [{ sandbox: "danger-full-access" }, { sandboxPolicy: FULL_ACCESS }];
    const cwd = lab.place.workspace;
    for (const params of over) await refusedThread(client, { cwd, ...params });
    const { stdout } = await client.ok("command/exec", { command: ["/bin/cat", secret] });
    expect(stdout).not.toContain("hidden-words");
  });

  it("K22 that was lowered while a question was open lets nothing out of the sandbox", async () => {
    const { lab, lower } = labUnder(`${MODES.trimEnd().slice(0, -1)}, "danger-full-access"]\n`);
    const client = await lab.client();
    const { workspace: cwd, outside } = lab.place;
    const { thread } = await client.ok("thread/start", { cwd, sandbox: "workspace-write" });
    const escalated = client.turn(thread.id, `escalate touch ${outside}/late`);
    const question = await client.question();
    lower(MODES);
    client.send({ id: question.id ?? 0, result: { decision: "acceptForSession" } });
    const { items } = await escalated;
    const command = items.find(({ type }) => type === "commandExecution");
    expect(command).toMatchObject({ status: "failed", exitCode: null });
    expect(command?.writ.denial).toContain("not in the allowed set");
    expect(existsSync(`${outside}/late`)).toBe(false);
  });

  it("K22 that was lowered within a turn lets nothing out by a yes for the session", async () => {
    const { lab, lower } = labUnder(`${MODES.trimEnd().slice(0, -1)}, "danger-full-access"]\n`);
    const client = await lab.client();
    const { workspace: cwd, outside } = lab.place;
    const { thread } = await client.ok("thread/start", { cwd, sandbox: "workspace-write" });
    const threadId = thread.id;
    const line = `escalate echo more >> ${outside}/twice`;
    client.onAsked = () => ({ result: { decision: "acceptForSession" } });
    await client.turn(threadId, line);
    const wait = say("while [ ! -e go ]; do sleep 0.01; done");
    const { turn } = await client.ok("turn/start", { threadId, input: wait });
    lower(MODES);
    await client.ok("turn/steer", { threadId, input: say(line), expectedTurnId: turn.id });
    writeFileSync(path.join(cwd, "go"), "");
    const { items } = await ended(client, turn.id);
    const command = items.findLast(({ type }) => type === "commandExecution");
    expect(command).toMatchObject({ status: "failed", exitCode: null });
    expect(readFileSync(`${outside}/twice`, "utf8")).toBe("more\n");
  });

  it("K22 that cannot be read when a yes comes lets nothing out, and is named", async () => {
    const { lab, lower } = labUnder(`${MODES.trimEnd().slice(0, -1)}, "danger-full-access"]\n`);
    const client = await lab.client();
    const { workspace: cwd, outside } = lab.place;
    const { thread } = await client.ok("thread/start", { cwd, sandbox: "workspace-write" });
    for (const line of [`escalate touch ${outside}/unread`, `write ${outside}/unread text`]) {
      lower(`${MODES.trimEnd().slice(0, -1)}, "danger-full-access"]\n`);
      client.onAsked = () => {
        lower("[");
        return { result: { decision: "accept" } };
      };
      const { items } = await client.turn(thread.id, line);
      const item = items.find(({ type }) => /^(?:commandExecution|fileChange)$/.test(type));
      expect(item).toMatchObject({ status: "failed" });
      expect(item?.writ.denial).toContain(
        "Not approved: the ceilings and settings that a yes is held against cannot be read",
      );
    }
    expect(existsSync(`${outside}/unread`)).toBe(false);
  });
});
