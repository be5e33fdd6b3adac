/** Puts a server of the standard streams behind streamable HTTP on loopback: a process for each session. */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { onTestFinished } from "vitest";
import { serveHttp } from "../../mcp/host/support/sdk-servers.ts";
import type { ServerStart } from "./mcp-clients.ts";

/** The URL of a front that ends with the test. */
export async function httpFront(start: ServerStart): Promise<string> {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const front = await serveHttp((request) => {
    const known = sessions.get(request.headers.get("mcp-session-id") ?? "");
    if (known !== undefined) return known.handleRequest(request);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    return connect(transport, start).then(() => transport.handleRequest(request));
  });
  onTestFinished(() => front.close());
  return front.url;
}

/** Hands every message on as it is. */
async function connect(
  transport: WebStandardStreamableHTTPServerTransport,
  { argv, cwd, env }: ServerStart,
): Promise<void> {
  const [command = "", ...args] = argv;
  const child = spawn(command, args, { cwd, env, stdio: ["pipe", "pipe", "inherit"] });
  const exited = once(child, "exit");
  onTestFinished(async () => {
    child.stdin.end();
    await exited;
  });
  createInterface({ input: child.stdout }).on("line", (line) => {
    transport.send(JSON.parse(line)).catch(() => {});
  });
  transport.onmessage = (message) => child.stdin.write(`${JSON.stringify(message)}\n`);
  await transport.start();
}
