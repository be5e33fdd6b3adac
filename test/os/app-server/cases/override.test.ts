import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { WAYS } from "../support/app-lab.ts";
import { caseApp, ran } from "../support/case-app.ts";
import {
  FULL_ACCESS,
  MALFORMED_POLICIES,
  READ_ONLY,
  WORKSPACE_WRITE,
} from "../support/policies.ts";

const METHODS = ["turn/start", "thread/settings/update"] as const;
const say = (text: string) => [{ type: "text", text, text_elements: [] }];

describe.each(WAYS)("an override over %s", (over) => {
  const app = caseApp({ over });
  const start = async (params: object = { sandbox: "workspace-write" }) => {
    const { client, place } = app();
    return (await client.ok("thread/start", { cwd: place.workspace, ...params })).thread.id;
  };
  /** Which policies followers of the thread heard of. */
  const heard = (threadId: string) =>
    app()
      .client.notes.filter(
        ({ method, params }) =>
          method === "thread/settings/updated" && params.threadId === threadId,
      )
      .map(({ params }) => params.threadSettings);

  it("C01 sticks, and is told once, before the turn begins", async () => {
    const { client, place } = app();
    const threadId = await start();
    const sandboxPolicy = { type: "readOnly", networkAccess: true };
    const { notes } = await client.turn(threadId, "say hello", { sandboxPolicy });
    const order = notes.map(({ method }) => method);
    const updated = order.indexOf("thread/settings/updated");
    expect(order.filter((method) => method === "thread/settings/updated")).toHaveLength(1);
    expect(updated).toBeLessThan(order.indexOf("thread/status/changed"));
    expect(updated).toBeLessThan(order.indexOf("turn/started"));
    expect(heard(threadId)).toMatchObject([
      { sandboxPolicy, activePermissionProfile: null, writ: { profile: null } },
    ]);
    const file = path.join(place.workspace, "c01");
    await ran(client, threadId, `touch ${file}`);
    expect(existsSync(file)).toBe(false);
  });

  it.each<object>([
    { sandboxPolicy: WORKSPACE_WRITE },
    { sandboxPolicy: { type: "workspaceWrite" } },
    { sandboxPolicy: null, permissions: null },
    {},
  ])("C01 is not told where it changes nothing: %j", async (members) => {
    const threadId = await start();
    await app().client.turn(threadId, "say hello", members);
    expect(heard(threadId)).toEqual([]);
  });

  it("C03 of one kind replaces the other", async () => {
    const { client } = app();
    const threadId = await start();
    const steps = [
      { permissions: ":read-only" },
      { sandboxPolicy: { type: "workspaceWrite" } },
      { permissions: ":workspace" },
      { sandboxPolicy: FULL_ACCESS },
    ];
    for (const step of steps) await client.turn(threadId, "say hello", step);
    expect(
      heard(threadId).map((one) => [one.sandboxPolicy, one.activePermissionProfile?.id ?? null]),
    ).toEqual([
      [READ_ONLY, ":read-only"],
      [WORKSPACE_WRITE, null],
      [WORKSPACE_WRITE, ":workspace"],
      [FULL_ACCESS, null],
    ]);
  });

  it.each(METHODS)("C04 D02 of both kinds is refused on %s", async (method) => {
    const threadId = await start();
    const both = { sandboxPolicy: READ_ONLY, permissions: ":read-only" };
    const params = { threadId, ...(method === "turn/start" && { input: say("say no") }), ...both };
    expect(await app().client.refused(method, params)).toEqual({
      code: -32600,
      message: "`permissions` cannot be combined with `sandboxPolicy`",
    });
    expect(heard(threadId)).toEqual([]);
  });

  it.each(MALFORMED_POLICIES)("%s is refused", async (_, sandboxPolicy) => {
    const { client } = app();
    const threadId = await start();
    for (const method of METHODS) {
      const input = method === "turn/start" ? { input: say("say no") } : {};
      const { code, message } = await client.refused(method, { threadId, ...input, sandboxPolicy });
      expect([code, message]).toEqual([
        -32600,
        expect.stringMatching(/^invalid sandbox policy: .+/),
      ]);
    }
    expect(heard(threadId)).toEqual([]);
  });

  it.each<object>([
    { type: "readOnly", access: { type: "fullAccess" } },
    { type: "workspaceWrite", readOnlyAccess: { type: "fullAccess" } },
  ])("C12 in the words of older clients is taken: %j", async (sandboxPolicy) => {
    const threadId = await start({ permissions: ":danger-full-access" });
    await app().client.turn(threadId, "say hello", { sandboxPolicy });
    const echo = "access" in sandboxPolicy ? READ_ONLY : WORKSPACE_WRITE;
    expect(heard(threadId).map((one) => one.sandboxPolicy)).toEqual([echo]);
  });

  it.each<[string, object]>([
    ["malformed", { sandboxPolicy: { type: "nonsense" } }],
    ["an unknown name", { permissions: "nobody" }],
    ["not to be had", { sandboxPolicy: { type: "workspaceWrite" }, cwd: "/" }],
    ["with a relative root", { runtimeWorkspaceRoots: ["a"] }],
    ["with a wrong way to ask", { approvalPolicy: "on-failure" }],
  ])("C13 that is %s changes nothing, also not beside it, and no turn begins", async (_, wrong) => {
    const { client, place } = app();
    const threadId = await start({ sandbox: "read-only", approvalPolicy: "never" });
    const file = path.join(place.workspace, "c13");
    await client.note("thread/started", ({ thread }) => thread.id === threadId);
    const from = client.notes.length;
    const { code } = await client.refused("turn/start", {
      ...{ threadId, input: say(`touch ${file}`), model: "offline", effort: "high" },
      ...{ approvalPolicy: "untrusted", sandboxPolicy: { type: "workspaceWrite" } },
      ...wrong,
    });
    expect([-32600, -32603]).toContain(code);
    expect(client.notes.slice(from)).toEqual([]);
    const resumed = await client.ok("thread/resume", { threadId });
    expect(resumed).toMatchObject({
      ...{ sandbox: READ_ONLY, approvalPolicy: "never", reasoningEffort: null },
      thread: { turns: [] },
    });
    await ran(client, threadId, `touch ${file}`);
    expect(existsSync(file)).toBe(false);
  });

  it("C13 that is refused on its name says so as clients know it", async () => {
    const { client } = app();
    const threadId = await start();
    for (const permissions of ["nobody", ":nobody", ""]) {
      const error = await client.refused("thread/settings/update", { threadId, permissions });
      expect(error).toEqual({
        code: -32600,
        message: expect.stringMatching(/^invalid thread settings override: .+/),
      });
    }
  });

  it("C01 of the folder takes what is writable along", async () => {
    const { client, place } = app();
    const { workspace, outside } = place;
    const threadId = await start();
    const files = [`${outside}/moved`, `${workspace}/moved`];
    await ran(client, threadId, `touch ${files.join(" ")}`, { cwd: outside });
    expect(files.map((file) => existsSync(file))).toEqual([true, false]);
    expect(heard(threadId)).toMatchObject([{ cwd: outside, sandboxPolicy: WORKSPACE_WRITE }]);
  });

  it("C15 has the roots that come with it, and only those", async () => {
    const { client, place } = app();
    const { workspace, outside } = place;
    const threadId = await start({
      ...{ permissions: ":workspace", runtimeWorkspaceRoots: [workspace, outside] },
    });
    await client.turn(threadId, "say hello", {
      ...{ sandboxPolicy: { type: "workspaceWrite" }, runtimeWorkspaceRoots: [outside] },
    });
    const { runtimeWorkspaceRoots } = await client.ok("thread/resume", { threadId });
    expect(runtimeWorkspaceRoots).toEqual([outside]);
    const files = [`${outside}/c15-given`, `${workspace}/c15-taken`];
    await ran(client, threadId, `touch ${files.join(" ")}`);
    expect(files.map((file) => existsSync(file))).toEqual([true, false]);
  });

  it("N14 cannot open again what the current policy denies", async () => {
    const { client, place } = app();
    const secret = path.join(place.outside, "denied");
    const adhoc = { extends: ":workspace", filesystem: { [secret]: "deny" } };
    const threadId = await start({ permissions: "adhoc", config: { permissions: { adhoc } } });
    const open = (root: string) => ({
      ...{ threadId, sandboxPolicy: { type: "workspaceWrite", writableRoots: [root] } },
    });
    const below = await client.refused("thread/settings/update", open(`${secret}/below`));
    expect(below).toEqual({
      code: -32600,
      message: expect.stringMatching(/^invalid thread settings override: Cannot override/),
    });
    expect(heard(threadId)).toEqual([]);
    // On the place itself the deny outranks the grant.
    await client.ok("thread/settings/update", open(secret));
    expect(heard(threadId)).toMatchObject([{ writ: { projection: { lossy: true } } }]);
    await ran(client, threadId, `mkdir -p ${secret}; touch ${secret}/x`);
    expect(existsSync(`${secret}/x`)).toBe(false);
  });

  it("N15 by name brings denies back only where the name says them", async () => {
    const { client, place } = app();
    const secret = path.join(place.outside, "known");
    const adhoc = { extends: ":workspace", filesystem: { [secret]: "deny" } };
    const threadId = await start({ permissions: "adhoc", config: { permissions: { adhoc } } });
    for (const permissions of [":danger-full-access", ":workspace", "adhoc"]) {
      await client.ok("thread/settings/update", { threadId, permissions });
    }
    const denies = heard(threadId).map(({ writ }) => JSON.stringify(writ).includes(secret));
    expect(denies).toEqual([false, false, true]);
  });
});
