/** What a client gets to hear over the standard streams, also for what the SDK would drop. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import { STATE_KEY } from "../../../src/mcp/index.ts";
import { bundledProgram } from "../../support/bundled-program.ts";
import { stateWith } from "../state/support/states.ts";

const program = bundledProgram(path.join(import.meta.dirname, "support/echo-server.ts"));

interface Answer {
  readonly id?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
  readonly result?: Readonly<Record<string, unknown>>;
}

/** A server in a process of its own; `ask` hands it a line and waits for the next one back. */
function start() {
  const child = spawn(process.execPath, [program()], { stdio: ["pipe", "pipe", "inherit"] });
  const exited = once(child, "exit");
  onTestFinished(async () => {
    child.stdin.end();
    await exited;
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (line: string): Promise<Answer> => {
    child.stdin.write(`${line}\n`);
    return JSON.parse(String((await lines.next()).value));
  };
  const request = (id: unknown, method: string, params: unknown) =>
    ask(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
  return { child, exited, ask, request };
}

async function initialized() {
  const server = start();
  const clientInfo = { name: "test", version: "1" };
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
  const { result } = await server.request(0, "initialize", params);
  expect(result).toHaveProperty(["capabilities", "experimental", STATE_KEY]);
  server.child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  return server;
}

const says = (text: string) => ({ result: { content: [{ type: "text", text }] } });

describe("stdioTransport", () => {
  it("answers each malformed request by its id, and serves the next call", async () => {
    const { request } = await initialized();
    const metas = [null, "x", [], 1, { progressToken: {} }];
    for (const [index, _meta] of metas.entries()) {
      const id = `malformed-${index}`;
      const answer = await request(id, "tools/call", { name: "read", arguments: {}, _meta });
      expect(answer).toMatchObject({ id, error: { code: -32602 } });
    }
    expect(await request("list", "tools/call", [])).toMatchObject({ error: { code: -32602 } });
    const call = { name: "read", arguments: {} };
    expect(await request(1, "tools/call", call)).toMatchObject(says("missing"));
    const _meta = { [STATE_KEY]: stateWith({}) };
    expect(await request(2, "tools/call", { ...call, _meta })).toMatchObject(says("state"));
  });

  it.each([
    ["text that is no JSON", "{", -32700],
    ["a list", "[]", -32600],
    ["null", "null", -32600],
    ["a request with an id of null", '{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600],
  ])("answers %s, also before anything else", async (_, line, code) => {
    const { ask } = start();
    expect(await ask(line)).toMatchObject({ id: null, error: { code } });
  });

  it.each([
    ["without a version", { id: 1, method: "ping" }],
    ["of another version", { jsonrpc: "1.0", id: 1, method: "ping" }],
    ["with a member of its own", { jsonrpc: "2.0", id: 1, method: "ping", more: 1 }],
    [
      "about a task that is text",
      {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { _meta: { "io.modelcontextprotocol/related-task": "x" } },
      },
    ],
  ])("answers a request %s, which the SDK would drop", async (_, message) => {
    const { ask } = await initialized();
    expect(await ask(JSON.stringify(message))).toMatchObject({ id: 1, error: { code: -32600 } });
  });

  it("refuses the updates that old clients push, and takes nothing from them", async () => {
    const { request } = await initialized();
    const params = { sandboxPolicy: { type: "danger-full-access" }, sandboxCwd: "/srv" };
    const update = await request(1, "codex/sandbox-state/update", params);
    expect(update).toMatchObject({ id: 1, error: { code: -32601 } });
    const call = { name: "read", arguments: {} };
    expect(await request(2, "tools/call", call)).toMatchObject(says("missing"));
  });

  it("answers a call with ten million characters of state", async () => {
    const { request } = await initialized();
    const _meta = { [STATE_KEY]: stateWith({ later: "x".repeat(10 << 20) }) };
    const call = { name: "read", arguments: {}, _meta };
    expect(await request(1, "tools/call", call)).toMatchObject(says("malformed"));
  });

  it("answers a call whose state is nested without end", async () => {
    const { ask, request } = await initialized();
    const deep = "[".repeat(100_000) + "]".repeat(100_000);
    const params = `{"name":"read","arguments":{},"_meta":{"${STATE_KEY}":${deep}}}`;
    const answer = await ask(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`);
    expect(answer).not.toMatchObject(says("state"));
    expect(await request(2, "ping", {})).toMatchObject({ id: 2, result: {} });
  });

  it("tells the server that its client is gone", async () => {
    const { child, exited } = await initialized();
    child.stdin.end();
    expect(await exited).toEqual([7, null]);
  });
});
