/** Clients of both versions of the MCP SDK, alike for a test. Each answers what a server may ask. */
import path from "node:path";
import { pathToFileURL } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { onTestFinished } from "vitest";
import { mcpPackage } from "./install-mcp.ts";

export interface ServerStart {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly isError?: boolean | undefined;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
}

export interface McpClient {
  capabilities(): unknown;
  tools(): Promise<readonly string[]>;
  call(name: string, args: object, meta?: object, progress?: () => void): Promise<Answer>;
}

/** What both versions have in common, as far as it is used here. */
interface SdkClient {
  connect(transport: unknown): Promise<void>;
  close(): Promise<void>;
  getServerCapabilities(): unknown;
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>;
}

const CLIENT = { name: "writ-interop", version: "1" };
const OPTIONS = { capabilities: { sampling: {}, elicitation: { form: {} }, roots: {} } };

/** What the client answers to the requests of a server. */
const ANSWERS = {
  "sampling/createMessage": {
    role: "assistant" as const,
    model: "scripted",
    content: { type: "text" as const, text: "sampled-answer" },
  },
  "elicitation/create": { action: "accept" as const, content: { name: "elicited-answer" } },
  "roots/list": { roots: [{ uri: "file:///srv/listed-root", name: "listed" }] },
};

/** Connects a client of version 2; it ends with the test. */
export async function connectSecond({ argv, cwd, env }: ServerStart): Promise<McpClient> {
  const client = new Client(CLIENT, OPTIONS);
  client.setRequestHandler("sampling/createMessage", () => ANSWERS["sampling/createMessage"]);
  client.setRequestHandler("elicitation/create", () => ANSWERS["elicitation/create"]);
  client.setRequestHandler("roots/list", () => ANSWERS["roots/list"]);
  const [command = "", ...args] = argv;
  const transport = new StdioClientTransport({ command, args, cwd, env: { ...env } });
  return alike(client as unknown as SdkClient, transport, (params, progress) =>
    client.callTool(params as Parameters<Client["callTool"]>[0], { onprogress: progress }),
  );
}

/** The modules of version 1, which is no dependency of this repository. */
interface FirstSdk {
  readonly Client: new (
    info: object,
    options: object,
  ) => SdkClient & {
    setRequestHandler(schema: unknown, handler: () => unknown): void;
    callTool(params: unknown, schema: undefined, options: object): Promise<unknown>;
  };
  readonly StdioClientTransport: new (parameters: object) => unknown;
  readonly CreateMessageRequestSchema: unknown;
  readonly ElicitRequestSchema: unknown;
  readonly ListRootsRequestSchema: unknown;
}

/** Connects a client of version 1; it ends with the test. */
export async function connectFirst({ argv, cwd, env }: ServerStart): Promise<McpClient> {
  const modules = ["client/index.js", "client/stdio.js", "types.js"].map(
    (file) => import(pathToFileURL(path.join(mcpPackage("sdk"), "dist/esm", file)).href),
  );
  const sdk: FirstSdk = Object.assign({}, ...(await Promise.all(modules)));
  const client = new sdk.Client(CLIENT, OPTIONS);
  const handle = (schema: unknown, name: keyof typeof ANSWERS) =>
    client.setRequestHandler(schema, () => ANSWERS[name]);
  handle(sdk.CreateMessageRequestSchema, "sampling/createMessage");
  handle(sdk.ElicitRequestSchema, "elicitation/create");
  handle(sdk.ListRootsRequestSchema, "roots/list");
  const [command, ...args] = argv;
  const transport = new sdk.StdioClientTransport({ command, args, cwd, env });
  return alike(client, transport, (params, onprogress) =>
    client.callTool(params, undefined, { onprogress }),
  );
}

async function alike(
  client: SdkClient,
  transport: unknown,
  callTool: (params: object, progress: () => void) => Promise<unknown>,
): Promise<McpClient> {
  onTestFinished(() => client.close());
  await client.connect(transport);
  return {
    capabilities: () => client.getServerCapabilities(),
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args, _meta = {}, progress = () => {}) =>
      (await callTool({ name, arguments: args, _meta }, progress)) as Answer,
  };
}
