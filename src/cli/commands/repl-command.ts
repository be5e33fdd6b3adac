import type { Language } from "../../mcp/index.ts";
import type { Command } from "../command.ts";
import { MODE_WORDS } from "../policy/policy-takes.ts";

/** The languages, without the layer that they come from: every start reads this file. */
export const LANGUAGE_WORDS = [
  "python",
  "node",
  "bash",
  "r",
] as const satisfies readonly Language[];

/** `writ repl`: interpreters that live from call to call, under the sandbox of each. */
export const replCommand: Command = {
  name: "repl",
  summary: "Serve interpreters over MCP, each call under its own sandbox",
  usage: "repl [--language NAME]... [--sandbox MODE] [options]",
  help: `An MCP server for agents; start it from their settings, not by hand.
  --language NAME            python, node, bash or r (default); may be repeated
  --sandbox MODE             inherit: the policy of each call; read-only,
                             workspace-write (default), danger-full-access
  --add-writable-root DIR    one more folder that code may write to
  --config KEY=VALUE         a setting in the words of Codex
  --oversized-output HOW     files or pager (default): output too long to show
  --debug-dir DIR            log calls and replies there, as JSON lines
  --worker-spec FILE         an interpreter of your own
  --interpreter NAME         the same as --language, for one
  --version                  print the version

Options about the sandbox apply in order; a mode discards those before it.
Exit status: 0; 125 when $WRIT_HOME cannot be made; 2 on bad input.

example, in Codex's config.toml:
  [mcp_servers.python]
  command = "writ"
  args = ["repl", "--sandbox", "inherit", "--language", "python"]
`,
  options: {
    language: { type: "string", multiple: true },
    interpreter: { type: "string" },
    sandbox: { type: "string", multiple: true },
    "add-writable-root": { type: "string", multiple: true },
    "add-writeable-root": { type: "string", multiple: true },
    "add-allowed-domain": { type: "string", multiple: true },
    config: { type: "string", multiple: true },
    "oversized-output": { type: "string" },
    "debug-dir": { type: "string" },
    "worker-spec": { type: "string" },
    version: { type: "boolean" },
  },
  takes: {
    language: LANGUAGE_WORDS,
    interpreter: LANGUAGE_WORDS,
    sandbox: ["inherit", ...MODE_WORDS],
    "add-writable-root": "folder",
    "oversized-output": ["files", "pager"],
    "debug-dir": "folder",
    "worker-spec": "file",
  },
  async run(input, world) {
    const { serveRepl } = await import("../repl/serve-repl.ts");
    return serveRepl(input, world);
  },
};
