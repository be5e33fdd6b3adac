import { type LaunchPlan, visibleLine } from "../../sandbox/index.ts";
import type { Command } from "../command.ts";
import { POLICY_HELP, POLICY_OPTIONS, RUN_HELP, RUN_OPTIONS } from "../policy/policy-options.ts";
import { POLICY_TAKES } from "../policy/policy-takes.ts";

/** `writ plan`: planning is pure, so showing what would run starts nothing. */
export const planCommand: Command = {
  name: "plan",
  summary: "Print how a command would be run, without running it",
  usage: "plan [policy] [-C DIR] [options] [--json] -- COMMAND [ARG...]",
  help: `${POLICY_HELP}${RUN_HELP}  --json                     the whole plan as JSON

Exit status: 125 when no sandbox can be planned that keeps the policy; 2 on bad
input.

example: writ plan --sandbox read-only -- ls
`,
  options: { ...POLICY_OPTIONS, ...RUN_OPTIONS, json: { type: "boolean" } },
  takes: POLICY_TAKES,
  rest: "command",
  async run({ flags, positionals }, world) {
    const { planCommand: plan } = await import("../plan-command.ts");
    const { plan: planned } = await plan(flags, positionals, world);
    world.out(flags.json ? `${JSON.stringify(forJson(planned), null, 2)}\n` : render(planned));
    return 0;
  },
};

/** One flag a line, its values behind it. Names of files come from strangers. */
function render({ tier, prefix, argv }: LaunchPlan): string {
  const lines = argv.slice(1).reduce<string[]>((all, word) => {
    const last = all.at(-1);
    if (last === undefined || word.startsWith("--") || last === "--") all.push(word);
    else all[all.length - 1] = `${last} ${word}`;
    return all;
  }, []);
  const all = [
    `tier: ${tier}`,
    [...prefix, argv[0]].join(" "),
    ...lines.map((line) => `  ${line}`),
  ];
  return all.map((line) => `${visibleLine(line)}\n`).join("");
}

/** What this command would run; a sandbox for the next one is nobody's question here. */
function forJson({ descriptors, spare: _, ...plan }: LaunchPlan) {
  return {
    ...plan,
    descriptors: descriptors.map((one) =>
      one.kind === "gate" ? { ...one, bytes: Buffer.from(one.bytes).toString("base64") } : one,
    ),
  };
}
