import type { LaunchPlan } from "../../sandbox/index.ts";
import type { Command } from "../command.ts";
import { POLICY_HELP, POLICY_OPTIONS } from "../policy-options.ts";

/** `writ plan`: planning is pure, so showing what would run starts nothing. */
export const planCommand: Command = {
  name: "plan",
  summary: "Print how a command would be run, without running it",
  usage: "plan [policy] [-C DIR] [--network] [--json] -- COMMAND [ARG...]",
  help: `${POLICY_HELP}  --network                  let the command use the network
  --json                     the whole plan as JSON

example: writ plan --sandbox read-only -- ls
`,
  options: { ...POLICY_OPTIONS, network: { type: "boolean" }, json: { type: "boolean" } },
  async run({ flags, positionals }, world) {
    const { planCommand: plan } = await import("../plan-command.ts");
    const planned = await plan(flags, positionals, world);
    world.out(flags.json ? `${JSON.stringify(forJson(planned), null, 2)}\n` : render(planned));
    return 0;
  },
};

/** One flag a line, its values behind it. */
function render({ tier, argv }: LaunchPlan): string {
  const lines = argv.slice(1).reduce<string[]>((all, word) => {
    const last = all.at(-1);
    if (last === undefined || word.startsWith("--") || last === "--") all.push(word);
    else all[all.length - 1] = `${last} ${word}`;
    return all;
  }, []);
  return `tier: ${tier}\n${argv[0]}\n${lines.map((line) => `  ${line}\n`).join("")}`;
}

function forJson({ descriptors, ...plan }: LaunchPlan) {
  return {
    ...plan,
    descriptors: descriptors.map((one) =>
      one.kind === "bytes" ? { ...one, bytes: Buffer.from(one.bytes).toString("base64") } : one,
    ),
  };
}
