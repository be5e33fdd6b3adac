import type { Command } from "../command.ts";
import { AUTH_HELP, AUTH_OPTIONS, AUTH_TAKES } from "../exec/auth-options.ts";

/** How long what was said last may take to be read. */
const UNREAD_MS = 2_000;

/** `writ exec-server`: this machine runs commands for others, under the intent they send. */
export const execServerCommand: Command = {
  name: "exec-server",
  summary: "Run commands for other machines, under the policy they send",
  usage: "exec-server [--listen ADDRESS] [options]",
  help: `  --listen ADDRESS         ws://IP:PORT, unix://PATH, stdio (ws://127.0.0.1:0)
  --require-sandbox        refuse every start without a sandbox
  --root DIR               allow workspace roots in DIR only; may be repeated
  --ceiling FILE           a requirements file that bounds every request
  --allow-http             make HTTP requests for clients
  --concurrent-requests N  answer N calls of a connection at once (default: 1)
  --external-sandbox       vouch for the sandbox that an external policy names
${AUTH_HELP}  --trust FILE             public keys (PEM) whose signed intents count
  --require-signed         refuse requests that are not signed by one of them
  --executor-id NAME       what signed intents are addressed to

Prints the address it listens on, and nothing else. --host-on FD is writ's own.
Exit status: 0; 1 when it cannot listen or read a file; 125 when $WRIT_HOME
cannot be made; 2 on bad input.

example: writ exec-server --listen ws://127.0.0.1:4500 --require-sandbox
`,
  options: {
    listen: { type: "string" },
    "require-sandbox": { type: "boolean" },
    root: { type: "string", multiple: true },
    ceiling: { type: "string" },
    "allow-http": { type: "boolean" },
    "concurrent-requests": { type: "string" },
    "external-sandbox": { type: "boolean" },
    ...AUTH_OPTIONS,
    trust: { type: "string" },
    "require-signed": { type: "boolean" },
    "executor-id": { type: "string" },
    "host-on": { type: "string" },
  },
  takes: {
    root: "folder",
    ceiling: "file",
    trust: "file",
    ...AUTH_TAKES,
  },
  async run({ flags, positionals }, world) {
    const { serveExecutor } = await import("../exec/serve-executor.ts");
    const status = await serveExecutor(flags, positionals, world);
    // Standard output cannot be destroyed: what nobody reads of it would hold the process for ever.
    setTimeout(() => process.exit(status), UNREAD_MS).unref();
    return status;
  },
};
