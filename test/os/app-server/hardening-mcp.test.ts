/** Tools of MCP servers as a thread of the program has them: the policy of the turn, and no other. */
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { ACCEPT, askingThread, DECLINE, lastWords } from "./support/asking.ts";
import { caseApp } from "./support/case-app.ts";
import { FULL_ACCESS, READ_ONLY, WORKSPACE_WRITE } from "./support/policies.ts";

const EXAMPLE = path.resolve(import.meta.dirname, "../../../examples/sandboxed-shell/server.ts");

/** Says what came with a call; advertises nothing. */
const PLAIN = `
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const tool = { name: "meta", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } };
function answer({ id, method, params }) {
  if (id === undefined) return;
  if (method === "initialize") {
    const serverInfo = { name: "plain", version: "1" };
    return say({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo } });
  }
  if (method === "tools/list") return say({ id, result: { tools: [tool] } });
  if (method !== "tools/call") return say({ id, error: { code: -32601, message: "no" } });
  say({ id, result: { content: [{ type: "text", text: JSON.stringify(params._meta ?? null) }] } });
}
let held = "";
process.stdin.on("data", (chunk) => {
  const lines = (held + chunk).split("\\n");
  held = lines.pop();
  for (const line of lines) answer(JSON.parse(line));
});
`;

const app = caseApp({
  settings: ({ outside, env }) => {
    const plain = path.join(outside, "plain.mjs");
    writeFileSync(plain, PLAIN);
    const node = JSON.stringify(process.execPath);
    return `
[mcp_servers.shell]
command = ${node}
args = [${JSON.stringify(EXAMPLE)}]
sandbox = "inherit"
env = { WRIT_HOME = ${JSON.stringify(env.WRIT_HOME)} }
[mcp_servers.plain]
command = ${node}
args = [${JSON.stringify(plain)}]
sandbox = "inherit"
[mcp_servers.held]
command = ${node}
args = [${JSON.stringify(plain)}]
`;
  },
});

async function opened() {
  const { lab, place } = app();
  const client = await lab.client();
  client.onAsked = () => ACCEPT;
  const threadId = await askingThread(client, place);
  const shell = (line: string) => `call shell.shell ${JSON.stringify({ line })}`;
  return { client, threadId, place, shell };
}

const isState = (key: string) => key.includes("sandbox");

describe("a call of the model", () => {
  it("N11 carries the policy of its turn after each change of it", async () => {
    const { client, threadId, place, shell } = await opened();
    const { workspace, outside } = place;
    const tries: readonly (readonly [object, readonly boolean[]])[] = [
      [{}, [true, false]],
      [{ sandboxPolicy: READ_ONLY }, [false, false]],
      [{ sandboxPolicy: { ...WORKSPACE_WRITE, writableRoots: [outside] } }, [true, true]],
      [{ sandboxPolicy: READ_ONLY }, [false, false]],
      [{ sandboxPolicy: FULL_ACCESS }, [true, true]],
      [{ permissions: ":workspace" }, [true, false]],
    ];
    for (const [index, [change, wrote]] of tries.entries()) {
      const files = [`${workspace}/n11-${index}`, `${outside}/n11-${index}`];
      const { items } = await client.turn(threadId, shell(`touch ${files.join(" ")}`), change);
      const item = items.find(({ type }) => type === "mcpToolCall");
      expect(item).toMatchObject({ server: "shell", tool: "shell", error: null });
      expect(files.map((file) => existsSync(file))).toEqual(wrote);
    }
  });

  it("N12 brings no sandbox to a confined server that does not ask for it", async () => {
    const { client, threadId } = await opened();
    const { items } = await client.turn(threadId, "call held.meta {}");
    const item = items.find(({ type }) => type === "mcpToolCall");
    expect(item).toMatchObject({ status: "completed", error: null });
    const meta = JSON.parse(item?.result.content[0].text);
    expect(Object.keys(meta ?? {}).filter(isState)).toEqual([]);
  });

  it("N12 is not made to a server that is confined by nobody and does not ask", async () => {
    const { client, threadId } = await opened();
    const { items } = await client.turn(threadId, "call plain.meta {}");
    const item = items.find(({ type }) => type === "mcpToolCall");
    expect(item).toMatchObject({ status: "failed", result: null });
    expect(item?.error.message).toContain("it does not ask for the sandbox of its calls");
  });

  it("is asked about, is not made where that is declined, and is refused under never", async () => {
    const { client, threadId, place, shell } = await opened();
    const file = `${place.workspace}/declined`;
    client.onAsked = () => DECLINE;
    const declined = await client.turn(threadId, shell(`touch ${file}`));
    expect(declined.items.find(({ type }) => type === "mcpToolCall")?.status).toBe("failed");
    expect(client.asked).toHaveLength(1);
    const never = await client.turn(threadId, shell(`touch ${file}`), { approvalPolicy: "never" });
    expect(lastWords(never.items)).toContain("never");
    expect(client.asked).toHaveLength(1);
    expect(existsSync(file)).toBe(false);
  });
});

describe("N13 a call of a client", () => {
  it("brings no sandbox, so that a server that needs one refuses it", async () => {
    const { client, threadId, place } = await opened();
    const file = `${place.workspace}/client`;
    const call = { threadId, server: "shell", tool: "shell", arguments: { line: `touch ${file}` } };
    const result = await client.ok("mcpServer/tool/call", call);
    expect(result.isError).toBe(true);
    expect(existsSync(file)).toBe(false);
  });

  it.each(["codex/sandbox-state-meta", "codex/sandbox-state"])(
    "cannot bring one of its own under %s",
    async (key) => {
      const { client, threadId, place } = await opened();
      const file = `${place.outside}/forged`;
      const sandboxCwd = `file://${place.workspace}`;
      const state = { permissionProfile: { type: "disabled" }, sandboxCwd };
      const call = { threadId, server: "shell", tool: "shell", _meta: { [key]: state } };
      const answer = await client.call("mcpServer/tool/call", {
        ...call,
        arguments: { line: `touch ${file}` },
      });
      expect(answer.error !== undefined || answer.result.isError).toBe(true);
      expect(existsSync(file)).toBe(false);
      const meta = { [key]: state, mine: 1 };
      const seen = await client.call("mcpServer/tool/call", {
        ...{ threadId, server: "plain", tool: "meta", _meta: meta },
      });
      const got = JSON.parse(seen.result?.content[0].text ?? "{}");
      expect(Object.keys(got).filter(isState)).toEqual([]);
    },
  );

  it("reaches no server of a thread that is not loaded, and none that there is not", async () => {
    const { client, threadId } = await opened();
    const refused = (params: object) =>
      client.refused("mcpServer/tool/call", { threadId, server: "plain", tool: "meta", ...params });
    const other = "01900000-0000-7000-8000-000000000000";
    expect((await refused({ threadId: other })).message).toBe(`thread not found: ${other}`);
    expect((await refused({ server: "none" })).message).toContain("there is no such server");
    expect((await refused({ arguments: [1] })).message).toContain("is no object");
  });
});
