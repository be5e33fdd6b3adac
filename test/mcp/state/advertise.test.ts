import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import {
  advertise,
  advertises,
  readSandboxState,
  STATE_ALIAS,
  STATE_KEY,
} from "../../../src/mcp/index.ts";
import { stateWith } from "./support/states.ts";

/** A server that answers with what it makes of the state of a call. */
async function connect(capabilities: object = advertise()): Promise<Client> {
  const server = new McpServer({ name: "states", version: "1" }, { capabilities });
  const schema = { inputSchema: z.looseObject({}) };
  server.registerTool("read", schema, (_, context) => {
    const reading = readSandboxState(context);
    return { content: [{ type: "text", text: reading.kind === "state" ? "state" : reading.code }] };
  });
  const client = new Client({ name: "test", version: "1" });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(theirs), client.connect(ours)]);
  onTestFinished(() => client.close());
  return client;
}

async function read(params: object): Promise<unknown> {
  const client = await connect();
  const { content } = await client.callTool({ name: "read", arguments: {}, ...params });
  return content;
}

const says = (text: string) => [{ type: "text", text }];

describe("advertise", () => {
  it("reaches a client through the SDK, as objects under experimental", async () => {
    const capabilities = (await connect()).getServerCapabilities();
    expect(capabilities?.experimental).toEqual({
      [STATE_KEY]: { version: "1.0.0" },
      [STATE_ALIAS]: { version: "1.0.0" },
    });
    expect(advertises(capabilities)).toBe(true);
  });

  it("is the only way to be seen", async () => {
    expect(advertises((await connect({})).getServerCapabilities())).toBe(false);
  });
});

describe("advertises", () => {
  it.each([
    ["the name", { experimental: { [STATE_KEY]: {} } }],
    ["the second name", { experimental: { [STATE_ALIAS]: {} } }],
    ["an extension", { extensions: { [STATE_KEY]: {} } }],
    ["a version nobody knows", { experimental: { [STATE_KEY]: { version: "9" } } }],
    ["a value that is no object", { experimental: { [STATE_KEY]: null } }],
  ])("holds for %s", (_, capabilities) => {
    expect(advertises(capabilities)).toBe(true);
  });

  it.each([
    ["nothing", undefined],
    ["null", null],
    ["text", STATE_KEY],
    ["a list of names", [STATE_KEY]],
    ["the name at the top", { [STATE_KEY]: {} }],
    ["a list under experimental", { experimental: [STATE_KEY] }],
    ["text under experimental", { experimental: STATE_KEY }],
    ["null under experimental", { experimental: null }],
    ["a launcher", { experimental: { "codex/sandbox-launcher": {} } }],
    ["a longer name", { experimental: { [`${STATE_KEY}/update`]: {} } }],
    ["an inherited name", { experimental: Object.create({ [STATE_KEY]: {} }) }],
    ["an inherited place", Object.create({ experimental: { [STATE_KEY]: {} } })],
    ["`__proto__` as text", JSON.parse(`{"__proto__":{"experimental":{"${STATE_KEY}":{}}}}`)],
  ])("does not hold for %s", (_, capabilities) => {
    expect(advertises(capabilities)).toBe(false);
  });
});

describe("a server of the SDK", () => {
  const state = { [STATE_KEY]: stateWith({}) };

  it("finds the state of a call", async () => {
    expect(await read({ _meta: state })).toEqual(says("state"));
  });

  it.each([
    ["the arguments", { arguments: state }],
    ["`_meta` of the arguments", { arguments: { _meta: state } }],
    ["a request state that nobody signed", { requestState: JSON.stringify({ _meta: state }) }],
    ["params beside `_meta`", state],
  ])("takes no state from %s", async (_, params) => {
    expect(await read(params)).toEqual(says("missing"));
  });

  it("takes no state of an earlier call", async () => {
    const client = await connect();
    const call = (_meta: Record<string, unknown>) =>
      client.callTool({ name: "read", arguments: {}, _meta });
    expect((await call(state)).content).toEqual(says("state"));
    expect((await call({})).content).toEqual(says("missing"));
  });

  it("does not know the pushed updates of old clients", async () => {
    const client = await connect();
    const params = { sandboxPolicy: { type: "danger-full-access" }, sandboxCwd: "/srv" };
    const request = { method: "codex/sandbox-state/update", params };
    await expect(client.request(request, z.unknown())).rejects.toMatchObject({ code: -32601 });
    await client.notification(request);
    expect((await client.callTool({ name: "read", arguments: {} })).content).toEqual(
      says("missing"),
    );
  });
});
