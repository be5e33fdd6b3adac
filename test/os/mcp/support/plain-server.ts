/**
 * An MCP server that knows of no sandbox, in one file that every user can read.
 *
 * Its tools do what a test wants to see on the host. It remembers what it was
 * asked, and leaves a process behind when told to.
 */
import { writeFileSync } from "node:fs";
import path from "node:path";

const SOURCE = `
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import net from "node:net";
const seen = [];
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const tools = {
  async write({ path }) { writeFileSync(path, "written"); return "written"; },
  async reach({ port }) {
    return new Promise((done) => {
      const socket = net.connect(port, "127.0.0.1", () => { socket.destroy(); done("reached"); });
      socket.on("error", (error) => done(error.code));
    });
  },
  async seen() { return JSON.stringify(seen); },
  async variable({ name }) { return process.env[name] ?? "absent"; },
  async linger() {
    spawn("/bin/sh", ["-c", "sleep 1000; : " + process.argv[2]], { detached: true, stdio: "ignore" });
    return "left";
  },
  async hang() { return new Promise(() => {}); },
  async die() { process.stderr.write("dying as told\\n", () => process.exit(3)); return new Promise(() => {}); },
};
async function answer({ id, method, params }) {
  seen.push(method);
  if (id === undefined) return;
  if (method === "initialize") {
    const capabilities = { tools: {}, logging: {} };
    return say({ id, result: { protocolVersion: params.protocolVersion, capabilities, serverInfo: { name: "plain", version: "1" } } });
  }
  if (method !== "tools/call") return say({ id, result: {} });
  const result = await tools[params.name](params.arguments ?? {}).then(
    (text) => ({ content: [{ type: "text", text }] }),
    (error) => ({ isError: true, content: [{ type: "text", text: String(error.code ?? error) }] }),
  );
  say({ id, result: { ...result, meta: params._meta } });
}
let held = "";
process.stdin.on("data", (chunk) => {
  held += chunk;
  const lines = held.split("\\n");
  held = lines.pop();
  for (const line of lines) answer(JSON.parse(line));
});
`;

/** Writes the server into a folder; the answer is its file. */
export function writePlainServer(folder: string): string {
  const file = path.join(folder, "server.mjs");
  writeFileSync(file, SOURCE);
  return file;
}
