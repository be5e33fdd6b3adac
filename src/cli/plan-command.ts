import type { BoundProfile } from "../policy/index.ts";
import { buildEnvironment, type LaunchPlan, planOnHost } from "../sandbox/index.ts";
import { bindFlags } from "./bind-flags.ts";
import { type CliWorld, type FlagValues, UsageError } from "./command.ts";

/** Plans a command under the policy that the flags ask for. Starts nothing. */
export async function planCommand(
  flags: FlagValues,
  argv: readonly string[],
  world: CliWorld,
): Promise<LaunchPlan> {
  const [program, ...args] = argv;
  if (program === undefined) {
    throw new UsageError("Cannot run: no command was given, expected one after --");
  }
  const { bound, folder } = await bindFlags(flags, world);
  return planOnHost({
    command: [program, ...args],
    cwd: folder,
    env: buildEnvironment({ inherit: "core", include: [], exclude: [], set: {} }, world.env),
    profile: flags.network ? withNetwork(bound) : bound,
    terminal: "none",
  });
}

/** Rules are more than "on" can say, so the flag does not replace them. */
function withNetwork(bound: BoundProfile): BoundProfile {
  if (bound.network.kind === "ruled") {
    throw new UsageError("Cannot use --network: the policy has network rules, expected none");
  }
  return { ...bound, network: { kind: "enabled" } };
}
