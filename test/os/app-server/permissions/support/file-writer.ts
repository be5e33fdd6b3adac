/** Writes a file and says what came with the call, in which it asks for the sandbox. */
export const FILE_WRITER = `
import { writeFileSync } from "node:fs";
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const tool = { name: "write", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } };
const capabilities = { tools: {}, experimental: { "codex/sandbox-state-meta": { version: "1.1" } } };
function answer({ id, method, params }) {
  if (id === undefined) return;
  if (method === "initialize") {
    const serverInfo = { name: "server", version: "1" };
    return say({ id, result: { protocolVersion: params.protocolVersion, capabilities, serverInfo } });
  }
  if (method === "tools/list") return say({ id, result: { tools: [tool] } });
  if (method !== "tools/call") return say({ id, error: { code: -32601, message: "no" } });
  try {
    if (params.arguments.file) writeFileSync(params.arguments.file, "");
  } catch {}
  say({ id, result: { content: [{ type: "text", text: JSON.stringify(params._meta ?? null) }] } });
}
let held = "";
process.stdin.on("data", (chunk) => {
  const lines = (held + chunk).split("\\n");
  held = lines.pop();
  for (const line of lines) answer(JSON.parse(line));
});
`;
