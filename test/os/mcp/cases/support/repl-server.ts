/**
 * The line REPL as an MCP server over its own streams, with settings in JSON as its argument.
 *
 * It runs from one file beside the built program.
 */
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { openLocalMachine } from "writ/exec";
import { advertise, stdioTransport } from "writ/mcp";
import { z } from "zod";
import { openRepl, type ReplSettings } from "./open-repl.ts";

const settings: ReplSettings = JSON.parse(process.argv[2] ?? "");
const machine = openLocalMachine({
  home: process.env.WRIT_HOME ?? "",
  ceilings: [],
  waivers: "allowed",
});
const repl = openRepl(machine, settings);

function createServer() {
  const capabilities = settings.policy.kind === "inherit" ? advertise() : {};
  const server = new McpServer({ name: "line-repl", version: "1.0.0" }, { capabilities });
  const inputSchema = z.strictObject({ input: z.string(), timeout_ms: z.number().optional() });
  server.registerTool("repl", { inputSchema }, async ({ input, timeout_ms }, context) => {
    const { _meta: meta } = context.mcpReq;
    const reply = await repl.serve({ input, timeoutMs: timeout_ms ?? 10_000, meta });
    return { isError: reply.isError ?? false, content: [...reply.content] };
  });
  return server;
}

const transport = stdioTransport();
serveStdio(createServer, { transport });
transport.closed.then(() => repl.close()).then(() => process.exit(0));
