import { buildEnvironment, type LaunchPlan, planOnHost } from "../sandbox/index.ts";
import { bindFlags } from "./bind-flags.ts";
import { type CliWorld, type FlagValues, UsageError } from "./command.ts";
import { ownPaths } from "./own-paths.ts";

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
  const request = {
    command: [program, ...args] as const,
    cwd: folder,
    env: buildEnvironment({ inherit: "core", include: [], exclude: [], set: {} }, world.env),
    profile: bound,
    terminal: "none" as const,
  };
  return planOnHost(request, ownPaths(world));
}
