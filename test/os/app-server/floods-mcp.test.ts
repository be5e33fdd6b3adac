/** Servers of threads that print and ask without end: whoever runs them stays small. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { USERS } from "../support/sandbox-user.ts";
import { AppLab } from "./support/app-lab.ts";
import { ACCEPT, askingThread } from "./support/asking.ts";

/** Floods on a call, in the way that it was started for, and answers then. */
const FLOODING = `
const [, , way] = process.argv;
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const drained = (stream) => new Promise((resolve) => stream.once("drain", resolve));
const tool = { name: "flood", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } };
const experimental = { "codex/sandbox-state-meta": {} };
async function print() {
  const line = "x".repeat(65535) + "\\n";
  for (let count = 0; count < 6400; count += 1) {
    if (!process.stderr.write(line)) await drained(process.stderr);
  }
}
async function ask() {
  process.stdin.pause();
  for (let id = 0; id < 500000; id += 1) {
    if (!say({ id: "q" + id, method: "ping" })) await drained(process.stdout);
  }
}
async function answer({ id, method, params }) {
  if (id === undefined) return;
  if (method === "initialize") {
    const result = { protocolVersion: params.protocolVersion, capabilities: { tools: {}, experimental } };
    return say({ id, result: { ...result, serverInfo: { name: "flooding", version: "1" } } });
  }
  if (method === "tools/list") return say({ id, result: { tools: [tool] } });
  if (method !== "tools/call") return say({ id, error: { code: -32601, message: "no" } });
  await (way === "print" ? print() : ask());
  say({ id, result: { content: [] } });
}
let held = "";
process.stdin.on("data", (chunk) => {
  const lines = (held + chunk).split("\\n");
  held = lines.pop();
  for (const line of lines) void answer(JSON.parse(line));
});
`;

const MOST_BYTES = 320 << 20;

function flooded(user: (typeof USERS)[number], way: string, sandbox: string) {
  const lab = new AppLab({ over: "stdio", user });
  const file = path.join(lab.place.outside, "flooding.mjs");
  writeFileSync(file, FLOODING);
  const [node, script] = [process.execPath, file].map((one) => JSON.stringify(one));
  lab.configure(`
[mcp_servers.f]
command = ${node}
args = [${script}, "${way}"]
sandbox = "${sandbox}"
tool_timeout_sec = 12
`);
  return lab;
}

function mostMemory({ server }: AppLab): number {
  const status = readFileSync(`/proc/${server.pid}/status`, "utf8");
  return 1024 * Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]);
}

describe.each(USERS)("a server of a thread of %s keeps little of what a server", (user) => {
  it.each([
    ["prints where nobody reads it", "print", "confine"],
    ["asks and does not read the answers to", "ask", "inherit"],
  ])("%s", { timeout: 60_000 }, async (_, way, sandbox) => {
    const lab = flooded(user, way, sandbox);
    const client = await lab.client();
    client.onAsked = () => ACCEPT;
    const threadId = await askingThread(client, lab.place);
    lab.server.stderr?.pause();
    const { turn } = await client.turn(threadId, "call f.flood {}");
    expect(turn.status).toBe("completed");
    expect(mostMemory(lab)).toBeLessThan(MOST_BYTES);
  });
});
