import type { Command } from "../command.ts";
import { LANGUAGE_WORDS } from "./repl-command.ts";

/** `writ install`: the settings that make a client start `writ repl`. */
export const installCommand: Command = {
  name: "install",
  summary: "Add writ repl to the settings of Codex or Claude, or remove it",
  usage: "install codex|claude... [--language NAME]... [options]",
  help: `Adds one server for each language; the rest of each file stays as it is.
  --language NAME   python, node, bash or r; by default all that are found here
  --arg VALUE       one more argument of writ repl; may be repeated. One about
                    the sandbox replaces the one below
  --dry-run         print what would change, and change nothing
  --remove          remove what install added

  codex    $CODEX_HOME/config.toml, or ~/.codex; --sandbox inherit
  claude   ~/.claude.json, ~/.claude/settings.json; --sandbox workspace-write

Exit status: 0, also when nothing had to change; 1 when a file could not be
changed, and was not; 2 on bad input.

example: writ install codex --language python --dry-run
`,
  options: {
    language: { type: "string", multiple: true },
    arg: { type: "string", multiple: true },
    "dry-run": { type: "boolean" },
    remove: { type: "boolean" },
  },
  verbatim: ["arg"],
  takes: { language: LANGUAGE_WORDS },
  verbs: ["codex", "claude"],
  async run(input, world) {
    const { runInstall } = await import("../install/run-install.ts");
    return runInstall(input, world);
  },
};
