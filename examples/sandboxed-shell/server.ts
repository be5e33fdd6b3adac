/**
 * An MCP server with one tool, `shell`: a shell that lives from call to call and
 * always runs under the sandbox that the call came with.
 *
 *   [mcp_servers.shell]                                    # Codex: config.toml
 *   command = "node"
 *   args = ["examples/sandboxed-shell/server.ts"]
 */
import os from "node:os";
import path from "node:path";
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { loadCeilings } from "writ/config";
import { openLocalMachine } from "writ/exec";
import {
  advertise,
  receiptMeta,
  refusalResult,
  SandboxedWorker,
  stdioTransport,
  type WorkerCall,
} from "writ/mcp";
import { z } from "zod";

const home = process.env.WRIT_HOME ?? path.join(os.homedir(), ".writ");
const machine = openLocalMachine({ home, ceilings: await loadCeilings(home), waivers: "allowed" });

let heard = (_: string) => {};
const shell = new SandboxedWorker({
  machine,
  command: { argv: ["/bin/sh"], env: { PATH: "/usr/bin:/bin" }, envPolicy: null, terminal: null },
  policy: { kind: "inherit", writableRoots: [] },
  network: "asSent",
  attach: () => ({ output: (chunk) => heard(String(chunk)), ended: () => heard("\0ended\0") }),
  graceMs: 1000,
});

/** What the shell prints until it says how a line ended, or ends itself. */
async function run(call: WorkerCall, line: string) {
  const applied = await call.apply();
  if (applied.kind === "refused") return refusalResult(applied);
  const { promise, resolve } = Promise.withResolvers<string>();
  let printed = "";
  heard = (piece) => {
    printed += piece;
    if (/\0.*\0$/.test(printed)) resolve(printed);
  };
  await call.write(`{ ${line}\n} 2>&1 </dev/null; printf '\\0%s\\0' "$?"\n`);
  const [text = "", status] = (await promise).split("\0");
  const _meta = receiptMeta(shell.receiptId); // which receipt says under what it ran
  return { isError: status !== "0", content: [{ type: "text" as const, text }], _meta };
}

function createServer() {
  const server = new McpServer({ name: "shell", version: "1.0.0" }, { capabilities: advertise() });
  const inputSchema = z.object({ line: z.string() });
  server.registerTool("shell", { inputSchema }, ({ line }, context) => {
    context.mcpReq.signal.addEventListener("abort", () => void shell.interrupt());
    return shell.call(context, (call) => run(call, line));
  });
  return server;
}

const transport = stdioTransport();
serveStdio(createServer, { transport });
// A client that sends a signal does not wait long: what the sandbox leaves must be gone by then.
process.on("SIGTERM", () => transport.close());
await transport.closed;
await Promise.all([shell.close(0), machine.executor.close()]);
process.exit(0);
