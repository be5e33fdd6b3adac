/** A server of the SDK on our transport; its tool says whether the call had a state. */
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";
import { advertise, readSandboxState, stdioTransport } from "../../../../src/mcp/index.ts";

function createServer(): McpServer {
  const server = new McpServer({ name: "echo", version: "1" }, { capabilities: advertise() });
  server.registerTool("read", { inputSchema: z.object({}) }, (_, context) => {
    const reading = readSandboxState(context);
    return { content: [{ type: "text", text: reading.kind === "state" ? "state" : reading.code }] };
  });
  return server;
}

const transport = stdioTransport();
serveStdio(createServer, { transport });
// Not as a server ends that has nothing left to do.
transport.closed.then(() => process.exit(7));
