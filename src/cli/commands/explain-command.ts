import type { Explanation } from "../../policy/index.ts";
import { visibleLine } from "../../sandbox/index.ts";
import { type Command, UsageError } from "../command.ts";
import { POLICY_HELP, POLICY_OPTIONS, ROOT_HELP, RUN_OPTIONS } from "../policy/policy-options.ts";
import { POLICY_TAKES } from "../policy/policy-takes.ts";

/** `writ explain`: binding is pure, so asking what a policy allows starts nothing. */
export const explainCommand: Command = {
  name: "explain",
  summary: "Say what a policy allows for each path, and which rule decides",
  usage: "explain [policy] [-C DIR] [--add-dir DIR]... [--json] PATH...",
  help: `${POLICY_HELP}${ROOT_HELP}  --json                     an array of {path, access, rule, reason}

Paths are taken as written: links are not followed. Without a policy flag the
configured default_permissions holds. Exit status 2: bad input.

example: writ explain --sandbox workspace-write src .git/config /etc/passwd
`,
  options: { ...POLICY_OPTIONS, "add-dir": RUN_OPTIONS["add-dir"], json: { type: "boolean" } },
  takes: POLICY_TAKES,
  rest: "file",
  async run({ flags, positionals }, world) {
    if (positionals.length === 0) {
      throw new UsageError("Cannot explain: no path was given, expected at least one");
    }
    const { explainPaths } = await import("../explain-paths.ts");
    const explanations = await explainPaths(flags, positionals, world);
    world.out(flags.json ? `${JSON.stringify(explanations, null, 2)}\n` : render(explanations));
    return 0;
  },
};

/** Two lines a path: the answer, then why. */
function render(explanations: readonly Explanation[]): string {
  return explanations
    .map(({ path, access, rule, reason }) => {
      const answer = `${access.padEnd(5)}  ${path}`;
      return `${visibleLine(answer)}\n       ${visibleLine(`${rule}: ${reason}`)}\n`;
    })
    .join("");
}
