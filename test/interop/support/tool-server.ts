/**
 * An MCP server that knows nothing of sandboxes: `shell` runs a line, `meta` tells what came with it.
 *
 * With `--advertise` it asks for the state all the same, and then ignores it.
 */
import { spawnSync } from "node:child_process";
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const KEY = "codex/sandbox-state-meta";
const capabilities = process.argv.includes("--advertise") ? { experimental: { [KEY]: {} } } : {};

function createServer(): McpServer {
  const server = new McpServer({ name: "tools", version: "1" }, { capabilities });
  server.registerTool("shell", { inputSchema: z.object({ line: z.string() }) }, ({ line }) => {
    const { status, stdout, stderr } = spawnSync("/bin/sh", ["-c", line], { encoding: "utf8" });
    return { isError: status !== 0, content: [{ type: "text", text: `${stdout}${stderr}` }] };
  });
  server.registerTool("meta", { inputSchema: z.object({}) }, (_, { mcpReq }) => {
    const text = Object.keys(mcpReq._meta ?? {}).join(" ");
    return { content: [{ type: "text", text }] };
  });
  return server;
}

serveStdio(createServer);
