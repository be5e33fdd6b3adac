/**
 * Speaks the worker protocol for a shell, which has none: its keeper runs as the server starts it, and
 * the server's own link drives it. So a shell is tried as every other worker is.
 *
 * Its output is pipes, as it is in a sandbox, or what Node gives where the argument is `sockets`.
 */
import { spawn } from "node:child_process";
import { closeSync, writeSync } from "node:fs";
import { Socket } from "node:net";
import { createInterface } from "node:readline";
import { startOf } from "../../../../../src/mcp/repl/languages/start-of.ts";
import { ShellLink } from "../../../../../src/mcp/repl/shell/shell-link.ts";
import { SHELL_WORDS } from "../../../../../src/mcp/repl/shell/shell-words.ts";
import { openOutput } from "../../../../../src/sandbox/run/streams/open-pipe.ts";

const start = startOf("bash", {
  node: process.execPath,
  bash: "/bin/bash",
  python: undefined,
  rHome: undefined,
});
const [program = "", ...args] = start?.argv ?? [];
const pipes = process.argv[2] === "sockets" ? undefined : [openOutput(), openOutput()];
const inner = pipes?.map((pipe) => pipe.inner) ?? ["pipe" as const, "pipe" as const];
const keeper = spawn(program, args, { stdio: ["pipe", ...inner] });
for (const fd of inner) if (typeof fd === "number") closeSync(fd);
const [stdout, stderr] = pipes?.map((pipe) => pipe.outer) ?? [keeper.stdout, keeper.stderr];
const say = (message: object) => writeSync(4, `${JSON.stringify(message)}\n`);
const tell = (words: string) => void keeper.stdin?.write(words);

const link = new ShellLink(
  {
    greets: () =>
      say({
        type: "worker_ready",
        protocol: { name: "mcp-repl-worker", version: 6 },
        worker: { name: "bash", version: "1" },
        capabilities: { images: false },
      }),
    text: (bytes, stream) => {
      for (let at = 0; at < bytes.length; at += 6144) {
        const data_b64 = Buffer.from(bytes.subarray(at, at + 6144)).toString("base64");
        say({ type: "output_text", stream, data_b64 });
      }
    },
    image: () => {},
    line: () => {},
    waits: (prompt, status) => {
      const text = Buffer.from(`[exit status ${status}]\n`).toString("base64");
      if (status) say({ type: "output_text", stream: "stderr", data_b64: text });
      say(prompt === undefined ? { type: "ready" } : { type: "input_wait", prompt });
    },
    ends: (message) => say({ type: "session_end", message }),
    broke: (message) => say({ type: "session_end", reason: "protocol_error", message }),
  },
  tell,
);

function take(message: { readonly type: string; readonly input?: string }): void {
  if (message.type === "input_batch") tell(link.input(message.input ?? ""));
  if (message.type === "shutdown") tell(SHELL_WORDS.shutdown);
  if (message.type !== "interrupt") return;
  link.interrupted();
  tell(SHELL_WORDS.interrupt);
}

process.on("SIGINT", () => {});
keeper.stdin?.on("error", () => {});
stdout?.on("data", (chunk: Buffer) => link.hear(chunk, "stdout"));
stderr?.on("data", (chunk: Buffer) => link.hear(chunk, "stderr"));
keeper.on("exit", (code) => process.exit(code ?? 1));
createInterface({ input: new Socket({ fd: 3, readable: true, writable: false }) })
  .on("line", (line) => take(JSON.parse(line)))
  .on("close", () => keeper.stdin?.end());
