/** The smallest MCP server: one tool that answers at once. */
import { createInterface } from "node:readline";

const answers = {
  initialize: {
    protocolVersion: "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "bench", version: "1" },
  },
  "tools/call": { content: [{ type: "text", text: "done" }] },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line);
  if (id !== undefined) {
    process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result: answers[method] })}\n`);
  }
}
