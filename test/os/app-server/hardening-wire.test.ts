/** What clients of the wire can rely on: the handshake, whole answers, and an answer to everything. */
import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { Message } from "./support/app-client.ts";
import { AppLab, WAYS } from "./support/app-lab.ts";
import { ACCEPT, askingThread, commandOf, ended } from "./support/asking.ts";
import { caseApp } from "./support/case-app.ts";
import { READ_ONLY } from "./support/policies.ts";

describe.each(WAYS)("the handshake over %s", (over) => {
  const app = caseApp({ over });

  it("H01 lists the built-in profiles first, and every one of them can be chosen", async () => {
    const { client, place } = app();
    const { data, nextCursor } = await client.ok("permissionProfile/list", {});
    const ids = data.map(({ id }: { id: string }) => id);
    expect(ids.slice(0, 3)).toEqual([":read-only", ":workspace", ":danger-full-access"]);
    expect(nextCursor).toBeNull();
    for (const permissions of ids) {
      const started = await client.ok("thread/start", { cwd: place.workspace, permissions });
      expect(started.activePermissionProfile.id).toBe(permissions);
    }
  });

  it.each(["process/spawn", "thread/rollback", "Thread/start", "", "__proto__", "constructor"])(
    "H02 refuses a method that there is not: %s",
    async (method) => {
      const error = await app().client.refused(method, {});
      expect(error.code).toBe(-32600);
      expect(error.message).toContain("Invalid request: unknown variant");
    },
  );

  it("H04 takes place once", async () => {
    const again = { clientInfo: { name: "again", version: "1" } };
    expect(await app().client.refused("initialize", again)).toMatchObject({
      code: -32600,
      message: "Already initialized",
    });
  });
});

const GATED: readonly (readonly [string, object, string])[] = [
  ["thread/start", { permissions: ":workspace" }, "thread/start.permissions"],
  ["thread/start", { runtimeWorkspaceRoots: [] }, "thread/start.runtimeWorkspaceRoots"],
  ["thread/start", { environments: [] }, "thread/start.environments"],
  ["thread/fork", { threadId: "x", permissions: "a" }, "thread/fork.permissions"],
  ["turn/start", { threadId: "x", input: [], permissions: "a" }, "turn/start.permissions"],
  ["thread/settings/update", { threadId: "x" }, "thread/settings/update"],
  ["command/exec", { command: ["true"], permissionProfile: "a" }, "command/exec.permissionProfile"],
  [
    "thread/start",
    {
      approvalPolicy: { granular: { sandbox_approval: true, rules: true, mcp_elicitations: true } },
    },
    "askForApproval.granular",
  ],
];

describe("a connection", () => {
  const app = caseApp({});

  it.each(GATED)(
    "H03 that takes no part in experiments is refused %s with %j",
    async (method, params, what) => {
      const stable = await app().lab.client(null);
      expect(await stable.refused(method, params)).toMatchObject({
        code: -32600,
        message: `${what} requires experimentalApi capability`,
      });
    },
  );

  it("is refused everything before it introduced itself, and can then try again", async () => {
    const client = await app().lab.connect();
    const cwd = app().place.workspace;
    const calls: readonly (readonly [string, object])[] = [
      ["thread/start", { cwd }],
      ["thread/list", {}],
      ["turn/start", { threadId: "x", input: [] }],
      ["command/exec", { command: ["true"] }],
      ["fs/readFile", { path: "/etc/hostname" }],
      ["environment/add", { environmentId: "x", execServerUrl: "ws://127.0.0.1:1" }],
    ];
    for (const [method, params] of calls) {
      expect(await client.refused(method, params)).toMatchObject({
        code: -32600,
        message: "Not initialized",
      });
    }
    const bad = { clientInfo: { name: "new\nline", version: "1" } };
    expect((await client.refused("initialize", bad)).message).toContain("Invalid clientInfo.name");
    await client.initialize();
    expect(await client.ok("thread/loaded/list", {})).toMatchObject({ data: expect.any(Array) });
  });

  it("N21 cannot write past the policy by files, and a typed command obeys that of its thread", async () => {
    const { lab, place } = app();
    const client = await lab.client();
    const { workspace, outside } = place;
    const write = { path: path.join(outside, "file"), dataBase64: "" };
    expect(await client.refused("fs/writeFile", write)).toMatchObject({ code: -32603 });
    const threadId = await askingThread(client, place, { sandboxPolicy: READ_ONLY });
    const line = `touch ${workspace}/typed ${outside}/typed`;
    expect(await client.ok("thread/shellCommand", { threadId, command: line })).toEqual({});
    const { params } = await client.note("turn/completed");
    const item = commandOf((await ended(client, params.turn.id)).items);
    expect(item).toMatchObject({ source: "userShell", status: "failed" });
    expect([write.path, `${workspace}/typed`, `${outside}/typed`].filter(existsSync)).toEqual([]);
    const policed = { threadId, command: "true", sandboxPolicy: { type: "dangerFullAccess" } };
    expect((await client.refused("thread/shellCommand", policed)).message).toContain(
      "`sandboxPolicy` is not supported",
    );
  });
});

describe.each(WAYS)("N20 a burst of requests over %s", (over) => {
  const app = caseApp({ over });

  it("is answered one for one, and the server goes on", async () => {
    const { client, place } = app();
    const calls = Array.from({ length: 4000 }, (_, index) =>
      index % 4 === 0
        ? client.call("permissionProfile/list", {})
        : client.call("thread/read", { threadId: `none-${index}` }),
    );
    const answers = await Promise.all(calls);
    const codes = new Set(answers.map(({ error }) => error?.code ?? 0));
    expect([...codes].filter((code) => ![0, -32600, -32001].includes(code))).toEqual([]);
    for (const { error } of answers.filter((one) => one.error?.code === -32001)) {
      expect(error?.message).toBe("Server overloaded; retry later.");
    }
    const threadId = await askingThread(client, place);
    expect((await client.turn(threadId, "true")).turn.status).toBe("completed");
  });
});

const TURN = [
  ...["id", "rootTurnId", "items", "itemsView", "status", "error"],
  ...["startedAt", "completedAt", "durationMs"],
];
const ITEMS: Readonly<Record<string, readonly string[]>> = {
  userMessage: ["clientId", "content"],
  agentMessage: ["text", "phase", "memoryCitation", "delivery", "questions"],
  commandExecution: [
    ...["pluginId", "scriptPath", "command", "cwd", "processId", "source", "status"],
    ...["commandActions", "aggregatedOutput", "exitCode", "durationMs"],
  ],
  dynamicToolCall: [
    ...["namespace", "tool", "arguments", "status", "contentItems", "success", "durationMs"],
  ],
};

/** Every turn and item in a message, wherever it is. */
function partsOf(value: unknown): { readonly turns: object[]; readonly items: object[] } {
  const found = { turns: [] as object[], items: [] as object[] };
  const look = (one: unknown) => {
    if (typeof one !== "object" || one === null) return;
    if ("itemsView" in one) found.turns.push(one);
    if ("type" in one && String(one.type) in ITEMS && "id" in one) found.items.push(one);
    for (const inner of Object.values(one)) look(inner);
  };
  look(value);
  return found;
}

describe("N25 every turn and item", () => {
  const app = caseApp({});

  it("has all its members, null where there is nothing to say", async () => {
    const { lab, place } = app();
    const client = await lab.client();
    client.onAsked = () => ACCEPT;
    const threadId = await askingThread(client, place);
    const told: Message[] = [];
    for (const line of ["true", "false", "escalate true", "call none.tool {}", "background cat"]) {
      told.push(...(await client.turn(threadId, line)).notes);
    }
    const fail = await client.turn(threadId, "true", { model: "none" });
    const answers = await Promise.all([
      client.ok("thread/read", { threadId, includeTurns: true }),
      client.ok("thread/resume", { threadId }),
      client.ok("thread/turns/list", { threadId }),
      client.ok("thread/items/list", { threadId }),
      client.ok("thread/fork", { threadId }),
    ]);
    const { turns, items } = partsOf([told, fail.notes, answers]);
    const kinds = new Set(items.map((item) => Reflect.get(item, "type")));
    expect(kinds).toEqual(new Set(Object.keys(ITEMS)));
    expect(turns.length).toBeGreaterThan(20);
    const lacks = (part: object, members: readonly string[]) =>
      members.filter((member) => Reflect.get(part, member) === undefined);
    expect(turns.flatMap((turn) => lacks(turn, TURN))).toEqual([]);
    const missing = items.flatMap((item) => {
      const { type }: { type?: string } = item;
      return lacks(item, [...(ITEMS[type ?? ""] ?? []), "id", "startedAtMs", "completedAtMs"]);
    });
    expect(missing).toEqual([]);
  });
});

describe("a thread that is resumed", () => {
  it("N23 keeps what it was resumed with, though nothing was said in it", async () => {
    const lab = new AppLab();
    const first = await lab.client();
    const threadId = await askingThread(first, lab.place);
    await first.turn(threadId, "say hello");
    await lab.stop();
    const params = { threadId, sandbox: "read-only", approvalPolicy: "never" };
    const second = await (await lab.client()).ok("thread/resume", params);
    expect(second.sandbox).toEqual(READ_ONLY);
    await lab.stop();
    const third = await (await lab.client()).ok("thread/resume", { threadId });
    expect(third).toMatchObject({ sandbox: READ_ONLY, approvalPolicy: "never" });
    expect(third.writ.profileDigest).toBe(second.writ.profileDigest);
  });

  it("N22 says that its policy is more than the coarse one shows, wherever that is shown", async () => {
    const lab = new AppLab();
    const { workspace, outside } = lab.place;
    lab.configure(`
[permissions.guarded]
extends = ":workspace"
[permissions.guarded.filesystem]
${JSON.stringify(path.join(outside, "secret"))} = "deny"
`);
    const client = await lab.client();
    const plain = await client.ok("thread/start", { cwd: workspace, permissions: ":workspace" });
    expect(plain.writ.projection).toEqual({ lossy: false, lost: [] });
    const threadId = plain.thread.id;
    const lossy = { lossy: true, lost: [expect.any(String)] };
    const started = await client.ok("thread/start", { cwd: workspace, permissions: "guarded" });
    expect(started.writ.projection).toEqual(lossy);
    await client.turn(threadId, "say hello", { permissions: "guarded" });
    const { params } = await client.note("thread/settings/updated");
    expect(params.threadSettings.writ.projection).toEqual(lossy);
    for (const method of ["thread/resume", "thread/fork"]) {
      expect((await client.ok(method, { threadId })).writ.projection).toEqual(lossy);
    }
  });
});
