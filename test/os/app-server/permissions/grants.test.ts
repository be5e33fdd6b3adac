/** What a granted request opens for the calls of a thread, and what it does not. */
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { USERS } from "../../support/sandbox-user.ts";
import type { AppClient, Message } from "../support/app-client.ts";
import { askingThread, commandOf, ended, lastWords, say } from "../support/asking.ts";
import { caseApp } from "../support/case-app.ts";
import { FILE_WRITER } from "./support/file-writer.ts";

type Files = Readonly<Record<"read" | "write", readonly string[]>>;

/** An answer that gives places, and the network where it says so. */
function giving(files: Partial<Files>, scope = "turn", more: object = {}) {
  return { result: { permissions: { fileSystem: files, ...more }, scope } };
}

/** Answers with all that is asked for. */
const echo =
  (scope: string) =>
  ({ params }: Message) => ({ result: { permissions: params.permissions, scope } });

/** A port of this machine that something answers on. */
async function listening(): Promise<number> {
  const server = createServer((socket) => socket.end());
  onTestFinished(() => void server.close());
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("it has no port");
  return address.port;
}

const reach = (port: number) => `echo > /dev/tcp/127.0.0.1/${port} && echo reached`;

describe.each(USERS)("a grant (%s)", (user) => {
  const app = caseApp({ user });
  /** Apart, since each of their threads starts those servers. */
  const withServers = caseApp({
    user,
    settings: ({ outside, installed }) => {
      const server = path.join(outside, "server.mjs");
      writeFileSync(server, FILE_WRITER);
      const node = path.join(installed, "node_modules/.bin/node");
      const command = `command = ${JSON.stringify(node)}\nargs = [${JSON.stringify(server)}]\n`;
      return `[mcp_servers.told]\n${command}sandbox = "inherit"\n[mcp_servers.held]\n${command}`;
    },
  });
  let folders = 0;

  /** Folders outside of the workspace of a thread, which asks. */
  async function asking(members: object = {}, at = app) {
    const { lab, place } = at();
    const client = await lab.client();
    const folder = () => {
      folders += 1;
      const made = path.join(place.outside, `granted-${folders}`);
      mkdirSync(made);
      place.give();
      return made;
    };
    const [wanted, other] = [folder(), folder()];
    const threadId = await askingThread(client, place, members);
    return { client, threadId, wanted, other, place };
  }

  const output = (items: Parameters<typeof commandOf>[0]) =>
    commandOf(items).aggregatedOutput ?? "";
  const tries = async (client: AppClient, threadId: string, line: string) =>
    (await client.turn(threadId, line)).items;

  it("N08 N09 opens what was asked for and given, in its turn and in no other", async () => {
    const { client, threadId, wanted, other } = await asking();
    client.onAsked = () => giving({ write: [wanted, other, "/etc"] });
    const touch = `touch ${wanted}/a ${other}/a /etc/writ-granted`;
    const first = await tries(client, threadId, `ask write ${wanted} then ${touch}`);
    expect(first.find(({ tool }) => tool === "request_permissions")).toMatchObject({
      ...{ type: "dynamicToolCall", status: "completed", success: true },
    });
    const made = [`${wanted}/a`, `${other}/a`, "/etc/writ-granted"];
    expect(made.map((file) => existsSync(file))).toEqual([true, false, false]);
    await tries(client, threadId, `touch ${wanted}/b`);
    expect(existsSync(`${wanted}/b`)).toBe(false);
    expect(client.asked).toHaveLength(1);
  });

  it("N08 opens nothing where only something else was given", async () => {
    const { client, threadId, wanted, other } = await asking();
    client.onAsked = () => giving({ write: [other] }, "session");
    await tries(client, threadId, `ask write ${wanted} then touch ${wanted}/a ${other}/a`);
    expect([`${wanted}/a`, `${other}/a`].map((file) => existsSync(file))).toEqual([false, false]);
  });

  it("N10 for the session is there in the next turn, without a network that nobody asked for", async () => {
    const { client, threadId, wanted } = await asking();
    const port = await listening();
    client.onAsked = () => giving({ write: [wanted] }, "session", { network: { enabled: true } });
    await tries(client, threadId, `ask write ${wanted}`);
    const items = await tries(client, threadId, `touch ${wanted}/a; ${reach(port)}`);
    expect(existsSync(`${wanted}/a`)).toBe(true);
    expect(output(items)).not.toContain("reached");
    expect(client.asked).toHaveLength(1);
  });

  it("opens the network for its turn", async () => {
    const { client, threadId } = await asking();
    const port = await listening();
    client.onAsked = echo("turn");
    const during = await tries(client, threadId, `ask network then ${reach(port)}`);
    expect(output(during)).toContain("reached");
    expect(output(await tries(client, threadId, reach(port)))).not.toContain("reached");
  });

  it("opens reading where the policy opens little", async () => {
    const { workspace } = app().place;
    const access = { type: "restricted", readableRoots: [workspace] };
    const { client, threadId, wanted } = await asking({
      ...{ sandbox: undefined, sandboxPolicy: { type: "readOnly", access } },
    });
    writeFileSync(`${wanted}/text`, "what is in it");
    client.onAsked = echo("turn");
    const before = await tries(client, threadId, `cat ${wanted}/text`);
    const line = `cat ${wanted}/text; touch ${wanted}/a`;
    const during = await tries(client, threadId, `ask read ${wanted} then ${line}`);
    expect([output(before), output(during)].map((text) => text.includes("what is in it"))).toEqual([
      ...[false, true],
    ]);
    expect(existsSync(`${wanted}/a`)).toBe(false);
  });

  it("leaves denied what is denied, though it was given by name", async () => {
    const { client, wanted, place } = await asking();
    mkdirSync(`${wanted}/secret`);
    writeFileSync(`${wanted}/secret/key`, "the key");
    writeFileSync(`${wanted}/some.env`, "the key");
    place.give();
    const filesystem = { [`${wanted}/secret`]: "deny", [`${wanted}/*.env`]: "deny" };
    const threadId = await askingThread(client, place, {
      ...{ sandbox: undefined, permissions: "held" },
      config: { permissions: { held: { extends: ":workspace", filesystem } } },
    });
    const all = [wanted, `${wanted}/secret`, `${wanted}/secret/new`, `${wanted}/some.env`];
    client.onAsked = () => giving({ write: all }, "session");
    const line = `touch ${wanted}/a ${wanted}/secret/new; cat ${wanted}/secret/key ${wanted}/some.env`;
    const items = await tries(client, threadId, `ask write ${wanted} then ${line}`);
    expect(existsSync(`${wanted}/a`)).toBe(true);
    expect(existsSync(`${wanted}/secret/new`)).toBe(false);
    expect(output(items)).not.toContain("the key");
    const refused = await tries(client, threadId, `ask read ${wanted}/secret/key`);
    expect(lastWords(refused)).toContain(`(rule: "${wanted}/secret" = "deny")`);
    expect(client.asked).toHaveLength(1);
  });

  it("reaches the tools for files, which then ask nothing", async () => {
    const { client, threadId, wanted } = await asking();
    client.onAsked = echo("turn");
    const items = await tries(client, threadId, `ask write ${wanted} then write ${wanted}/a text`);
    expect(items.find(({ type }) => type === "fileChange")).toMatchObject({ status: "completed" });
    expect(readFileSync(`${wanted}/a`, "utf8")).toBe("text\n");
    expect(client.asked.map(({ method }) => method)).toEqual(["item/permissions/requestApproval"]);
  });

  it("reaches servers of others, call by call", async () => {
    const { client, threadId, wanted } = await asking({}, withServers);
    const call = (file: string) =>
      `call held.write ${JSON.stringify({ file: `${wanted}/${file}` })}`;
    client.onAsked = echo("turn");
    const during = await tries(client, threadId, `ask write ${wanted} then ${call("a")}`);
    expect(during.find(({ type }) => type === "mcpToolCall")).toMatchObject({ error: null });
    await tries(client, threadId, call("b"));
    expect(["a", "b"].map((name) => existsSync(`${wanted}/${name}`))).toEqual([true, false]);
  });

  it("N11 is in the state that goes to servers, call by call", async () => {
    const { client, threadId, wanted } = await asking({}, withServers);
    client.onAsked = echo("turn");
    const stateIn = (items: Parameters<typeof commandOf>[0]) => {
      const item = items.find(({ type }) => type === "mcpToolCall");
      expect(item).toMatchObject({ server: "told", error: null });
      return JSON.parse(item?.result.content[0].text)["codex/sandbox-state-meta"];
    };
    const during = await tries(client, threadId, `ask write ${wanted} then call told.write {}`);
    const after = await tries(client, threadId, "call told.write {}");
    const has = (state: unknown) => JSON.stringify(state).includes(wanted);
    expect([has(stateIn(during)), has(stateIn(after))]).toEqual([true, false]);
  });

  it("is in the receipt of what ran with it, under the digest that the model was told", async () => {
    const { client, threadId, wanted, place } = await asking();
    const digestOf = (items: Parameters<typeof commandOf>[0]): string => {
      const { receiptId } = commandOf(items).writ;
      return JSON.parse(place.run(["receipts", "show", receiptId, "--json"]).stdout).profileDigest;
    };
    client.onAsked = echo("turn");
    const during = await tries(client, threadId, `ask write ${wanted} then true`);
    const told = during.find(({ tool }) => tool === "request_permissions")?.contentItems[0].text;
    expect(told).toContain(`The policy of the turn is ${digestOf(during).slice(0, 16)} now`);
    const after = await tries(client, threadId, "true");
    expect(digestOf(after)).not.toBe(digestOf(during));
  });

  it("is what the rest of a turn goes on with, also when it was steered", async () => {
    const { client, threadId, wanted } = await asking();
    const turnId = await say(client, threadId, `ask write ${wanted}`);
    const { id } = await client.question();
    const input = [{ type: "text", text: `touch ${wanted}/a`, text_elements: [] }];
    await client.ok("turn/steer", { threadId, expectedTurnId: turnId, input });
    client.send({ id, ...giving({ write: [wanted] }) });
    expect((await ended(client, turnId)).status).toBe("completed");
    expect(existsSync(`${wanted}/a`)).toBe(true);
  });

  it("is not asked about for a name that leads elsewhere, or nowhere, or is not there", async () => {
    const { client, threadId, wanted, other } = await asking();
    symlinkSync(other, `${wanted}/link`);
    symlinkSync("/nowhere/at/all", `${wanted}/lost`);
    const told = async (name: string) =>
      lastWords(await tries(client, threadId, `ask write ${wanted}/${name}`));
    expect(await told("link")).toContain(`it leads to "${other}", expected a path without links`);
    expect(await told("lost")).toContain("it leads nowhere, expected a path without links");
    expect(await told("later")).toContain("there is nothing, expected a file or a folder");
    expect(client.asked).toEqual([]);
  });

  it("is not told that it may use a name in its workspace that leads out of it", async () => {
    const { client, threadId, place, other } = await asking();
    symlinkSync(other, `${place.workspace}/out`);
    place.give();
    const told = lastWords(await tries(client, threadId, "ask write out"));
    expect(told).toContain(`it leads to "${other}", expected a path without links`);
    expect(lastWords(await tries(client, threadId, "ask write new"))).toContain("allows all of it");
  });

  it.each([
    [
      "policy",
      { sandboxPolicy: { type: "readOnly" } },
      { sandboxPolicy: { type: "workspaceWrite" } },
    ],
    ["folder", { cwd: "/usr" }, {}],
  ])("for the session is over with its %s, also if no turn saw another", async (_, away, back) => {
    const { client, threadId, wanted, place } = await asking();
    const change = (members: object) =>
      client.ok("thread/settings/update", { threadId, ...members });
    client.onAsked = echo("session");
    await tries(client, threadId, `ask write ${wanted} then touch ${wanted}/a`);
    await change({ model: "offline" });
    await tries(client, threadId, `touch ${wanted}/b`);
    await change(away);
    await change({ cwd: place.workspace, ...back });
    await tries(client, threadId, `touch in-workspace ${wanted}/c`);
    const there = ["a", "b", "c"].map((name) => existsSync(`${wanted}/${name}`));
    expect(there).toEqual([true, true, false]);
    expect(existsSync(`${place.workspace}/in-workspace`)).toBe(true);
  });

  it("for the session is over where the policy was changed, and back, while its turn ran", async () => {
    const { client, threadId, wanted } = await asking();
    const turnId = await say(client, threadId, `ask write ${wanted} then touch ${wanted}/a`);
    const { id, params } = await client.question();
    for (const type of ["readOnly", "workspaceWrite"]) {
      await client.ok("thread/settings/update", { threadId, sandboxPolicy: { type } });
    }
    client.send({ id, result: { permissions: params.permissions, scope: "session" } });
    await ended(client, turnId);
    await tries(client, threadId, `touch ${wanted}/b`);
    const there = ["a", "b"].map((name) => existsSync(`${wanted}/${name}`));
    expect(there).toEqual([true, false]);
  });

  it("for the session ends when something else lies in its place", async () => {
    const { client, threadId, wanted, other } = await asking();
    client.onAsked = echo("session");
    await tries(client, threadId, `ask write ${wanted}`);
    await tries(client, threadId, `touch ${wanted}/a`);
    expect(existsSync(`${wanted}/a`)).toBe(true);
    renameSync(wanted, `${wanted}-before`);
    symlinkSync(other, wanted);
    await tries(client, threadId, `touch ${wanted}/b`);
    expect(existsSync(`${other}/b`)).toBe(false);
  });
});
