import { mkdirSync } from "node:fs";
import type { RunOutcome } from "../../sandbox/index.ts";
import type { CliWorld, Command } from "../command.ts";
import { POLICY_HELP, POLICY_OPTIONS } from "../policy-options.ts";
import { visibleLine } from "../visible.ts";

/** The sandbox itself failed: the number that env(1) and its like use for "could not start". */
const NOT_STARTED = 125;

const UNFINISHED =
  "Cannot run: this sandbox still has known ways out (docs/linux.md). To use it all the same, add --unfinished";

/** `writ run`: the command, under the policy, with the terminal it was given. */
export const runCommand: Command = {
  name: "run",
  summary: "Run a command under a policy",
  usage: "run [policy] [-C DIR] [--network] -- COMMAND [ARG...]",
  help: `${POLICY_HELP}  --network                  let the command use the network
  --unfinished               run although docs/linux.md lists known ways out

Exit status: that of the command; 125 when the sandbox could not be built and
nothing ran; 2 on bad input.

example: writ run --unfinished --sandbox workspace-write -- npm test
`,
  options: { ...POLICY_OPTIONS, network: { type: "boolean" }, unfinished: { type: "boolean" } },
  async run({ flags, positionals }, world) {
    if (!flags.unfinished) {
      world.err(`writ: ${UNFINISHED}\n`);
      return NOT_STARTED;
    }
    const { ownHome } = await import("../bind-flags.ts");
    // It has to be there to be hidden from the command.
    mkdirSync(ownHome(world), { recursive: true, mode: 0o700 });
    const { planCommand } = await import("../plan-command.ts");
    const { runPlan, SandboxError, ...sandbox } = await import("../../sandbox/index.ts");
    try {
      const plan = await planCommand(flags, positionals, world);
      const outcome = await runPlan(plan, { records: sandbox.recordsFolder() });
      if (outcome.kind === "notStarted") {
        // Only now is it worth the time to ask the host what it lacks.
        const { primitives } = await sandbox.probeHost();
        const lack = primitives.find(({ level, present }) => level === "needed" && !present);
        if (lack !== undefined) world.err(`writ: ${visibleLine(sandbox.lackOf(lack))}\n`);
      }
      return statusOf(outcome, world);
    } catch (error) {
      if (!(error instanceof SandboxError)) throw error;
      world.err(`writ: ${visibleLine(error.message)}\n`);
      return NOT_STARTED;
    }
  },
};

function statusOf(outcome: RunOutcome, world: CliWorld): number {
  switch (outcome.kind) {
    case "exited":
      return outcome.code;
    case "killed":
      world.err(`writ: the command was ended by ${outcome.signal}\n`);
      return 128 + 9;
    case "ended":
      world.err(`writ: ended the command: ${outcome.reason}\n`);
      return 128 + 9;
    case "notStarted":
      world.err(`writ: Cannot start the command: ${outcome.reason}\n`);
      return NOT_STARTED;
  }
}
