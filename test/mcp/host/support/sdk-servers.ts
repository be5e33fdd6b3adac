/** Servers of the SDK, over a scripted process and over HTTP on this machine. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { type JSONRPCMessage, McpServer, type Transport } from "@modelcontextprotocol/server";
import { advertise } from "../../../../src/mcp/index.ts";
import type { ScriptedProcess } from "../../process/support/scripted-process.ts";

/** A server with the tool `look`, which tells `seen` the `_meta` of each call. */
export function lookServer(
  seen: (meta: unknown) => unknown,
  capabilities: object = advertise(),
): McpServer {
  const server = new McpServer(
    { name: "look", version: "1.0.0" },
    { capabilities: { tools: { listChanged: true }, ...capabilities } },
  );
  server.registerTool("look", {}, async ({ mcpReq }) => {
    await seen(mcpReq._meta);
    return { content: [{ type: "text", text: "done" }] };
  });
  return server;
}

/** The server's end of a process under test. */
export class ProcessEnd implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #process: ScriptedProcess;

  constructor(process: ScriptedProcess) {
    this.#process = process;
    process.onLine = (line) => this.onmessage?.(JSON.parse(line));
  }

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage): Promise<void> {
    this.#process.say(`${JSON.stringify(message)}\n`);
  }

  async close(): Promise<void> {
    this.onclose?.();
  }
}

export interface HttpEnd {
  readonly url: string;
  /** What each request said of itself, in order. */
  readonly requests: { method: string; headers: Headers; body: string }[];
  /** Breaks every connection there is, as a machine that goes down does. */
  cut(): void;
  close(): Promise<void>;
}

/** Serves `handler` on a port of its own. */
export async function serveHttp(
  handler: (request: Request) => Promise<Response>,
): Promise<HttpEnd> {
  const requests: HttpEnd["requests"] = [];
  const server = createServer(async (incoming, outgoing) => {
    const method = incoming.method ?? "GET";
    const headers = new Headers(incoming.headers as Record<string, string>);
    const body = (await buffer(incoming)).toString();
    requests.push({ method, headers, body });
    const url = `http://127.0.0.1${incoming.url}`;
    const response = await handler(
      new Request(url, { method, headers, ...(method === "POST" && { body }) }),
    );
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.flushHeaders();
    try {
      for await (const chunk of response.body ?? []) outgoing.write(chunk);
    } catch {
      outgoing.destroy();
    }
    outgoing.end();
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    requests,
    cut: () => server.closeAllConnections(),
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}
