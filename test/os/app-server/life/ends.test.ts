/** What clients do to a server that they should not: not reading, leaving, asking for what takes long. */
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, vi } from "vitest";
import { AppLab } from "../support/app-lab.ts";
import { ended, say } from "../support/asking.ts";
import { caseApp } from "../support/case-app.ts";

const said = (text: string) => [{ type: "text", text, text_elements: [] }];

/** Prints more than a pipe holds, and has it told. */
const MUCH = "head -c 900000 /dev/zero | tr '\\0' y; true";

describe("a server whose client does not read", () => {
  it("ends when it is told to, though nobody takes what it wrote", async () => {
    const lab = new AppLab({ over: "stdio" });
    const client = await lab.client();
    const threadId = await startedIn(lab, client);
    const { stdout } = lab.server;
    for (const event of ["data", "end"]) stdout?.removeAllListeners(event);
    stdout?.pause();
    const filled = path.join(lab.place.workspace, "filled");
    const input = said(`${MUCH}; touch ${filled}`);
    client.send({ id: "unread", method: "turn/start", params: { threadId, input } });
    await vi.waitUntil(() => existsSync(filled), { timeout: 60_000 });
    const ended = once(lab.server, "exit");
    lab.server.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
  });

  it("ends by itself when its output is closed in the middle of a turn", async () => {
    const lab = new AppLab({ over: "stdio" });
    const client = await lab.client();
    const threadId = await startedIn(lab, client);
    await client.ok("turn/start", { threadId, input: said(`${MUCH}; sleep 600`) });
    await client.note("item/commandExecution/outputDelta");
    const ended = once(lab.server, "exit");
    lab.server.stdout?.destroy();
    expect(await ended).toEqual([0, null]);
    expect(lab.errors).toBe("");
  });
});

/** An MCP server whose one tool answers when a file is there. */
const SLOW = `
import { existsSync } from "node:fs";
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const serverInfo = { name: "slow", version: "1" };
const tool = { name: "wait", inputSchema: { type: "object" } };
function answer({ id, method, params }) {
  if (id === undefined) return;
  if (method === "initialize") {
    const { protocolVersion } = params;
    return say({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo } });
  }
  if (method === "tools/list") return say({ id, result: { tools: [tool] } });
  if (method !== "tools/call") return say({ id, error: { code: -32601, message: "no" } });
  const look = setInterval(() => {
    if (!existsSync(process.argv[2])) return;
    clearInterval(look);
    say({ id, result: { content: [{ type: "text", text: "at last" }] } });
  }, 20);
}
let held = "";
process.stdin.on("data", (chunk) => {
  const lines = (held + chunk).split("\\n");
  held = lines.pop();
  for (const line of lines) answer(JSON.parse(line));
});
`;

describe("a thread", () => {
  const app = caseApp({
    settings: ({ outside }) => {
      const file = path.join(outside, "slow.mjs");
      writeFileSync(file, SLOW);
      const args = [file, path.join(outside, "go")].map((one) => JSON.stringify(one));
      return `
[mcp_servers.slow]
command = ${JSON.stringify(process.execPath)}
args = [${args.join(", ")}]
sandbox = "inherit"
`;
    },
  });

  it("goes on while a tool that its client called takes its time", async () => {
    const { lab, client, place } = app();
    const threadId = await startedIn(lab, client);
    const call = client.call("mcpServer/tool/call", { threadId, server: "slow", tool: "wait" });
    const { items } = await client.turn(threadId, "say hello");
    expect(items.at(-1)).toMatchObject({ type: "agentMessage", text: "hello" });
    writeFileSync(path.join(place.outside, "go"), "");
    expect(await call).toMatchObject({ result: { content: [{ text: "at last" }] } });
  });

  it("has what is said during a command of the user's said after it, in the same turn", async () => {
    const { lab, client, place } = app();
    const threadId = await startedIn(lab, client);
    const from = client.notes.length;
    const command = "until [ -e said ]; do sleep 0.02; done";
    await client.ok("thread/shellCommand", { threadId, command });
    await client.note("item/started", undefined, from);
    const turnId = await say(client, threadId, "say hello");
    writeFileSync(path.join(place.workspace, "said"), "");
    const { status, items } = await ended(client, turnId);
    expect(status).toBe("completed");
    expect(items.map(({ type }) => type)).toEqual([
      "commandExecution",
      "userMessage",
      "agentMessage",
    ]);
    const { thread } = await client.ok("thread/read", { threadId, includeTurns: true });
    expect(thread.turns).toHaveLength(1);
  });

  it("keeps what is typed into a session, and the model is told of it", async () => {
    const { lab, client } = app();
    const threadId = await startedIn(lab, client);
    const first = await client.turn(threadId, "background cat");
    const [, session] = /session (\d+)/.exec(JSON.stringify(first.items)) ?? [];
    const { turn, items } = await client.turn(threadId, `type ${session} marble`);
    expect(turn.status).toBe("completed");
    expect(items.at(-1)?.text).toContain("marble");
  });
});

async function startedIn(lab: AppLab, client: Awaited<ReturnType<AppLab["client"]>>) {
  const params = { cwd: lab.place.workspace, sandbox: "workspace-write" };
  const { thread } = await client.ok("thread/start", params);
  return String(thread.id);
}
