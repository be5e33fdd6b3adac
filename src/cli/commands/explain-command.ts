import path from "node:path";
import { loadConfig } from "../../config/index.ts";
import { type Explanation, explain, parseAbsolutePath } from "../../policy/index.ts";
import { bindAskedPolicy } from "../bind-asked-policy.ts";
import { type CliWorld, type Command, type FlagValues, UsageError } from "../command.ts";
import { POLICY_HELP, POLICY_OPTIONS, readPolicyFlags } from "../policy-flags.ts";

const REQUIREMENTS = "/etc/writ/requirements.toml";

/** `writ explain`: binding is pure, so asking what a policy allows starts nothing. */
export const explainCommand: Command = {
  name: "explain",
  summary: "Say what a policy allows for each path, and which rule decides",
  usage: "explain [policy] [-C DIR] [--json] PATH...",
  help: `${POLICY_HELP}  --json                     an array of {path, access, rule, reason}

Paths are taken as written: links are not followed. Without a policy flag the
configured default_permissions holds. Exit status 2: bad input.

example: writ explain --sandbox workspace-write src .git/config /etc/passwd
`,
  options: { ...POLICY_OPTIONS, json: { type: "boolean" } },
  async run({ flags, positionals }, world) {
    if (positionals.length === 0) {
      throw new UsageError("Cannot explain: no path was given, expected at least one");
    }
    const explanations = explainPaths(flags, positionals, world);
    world.out(flags.json ? `${JSON.stringify(explanations, null, 2)}\n` : render(explanations));
    return 0;
  },
};

function explainPaths(flags: FlagValues, paths: readonly string[], world: CliWorld): Explanation[] {
  const folder = parseAbsolutePath(path.resolve(world.cwd, String(flags.cd ?? ".")));
  const config = loadConfig({
    writHome: world.env.WRIT_HOME ?? path.join(world.home, ".writ"),
    folder,
    requirements: REQUIREMENTS,
    hostname: world.hostname,
  });
  const asked = readPolicyFlags(flags, world, config);
  const bound = bindAskedPolicy(asked, { world, config, folder });
  return paths.map((one) => explain(bound, parseAbsolutePath(path.resolve(folder, one))));
}

/** Two lines a path: the answer, then why. */
function render(explanations: readonly Explanation[]): string {
  return explanations
    .map(({ path, access, rule, reason }) => {
      const answer = `${access.padEnd(5)}  ${path}`;
      return `${visible(answer)}\n       ${visible(`${rule}: ${reason}`)}\n`;
    })
    .join("");
}

/** A path may hold anything; what a terminal would obey is shown instead. */
function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (char) => {
    const code = char.codePointAt(0) ?? 0;
    return `\\u{${code.toString(16)}}`;
  });
}
