import { buildEnvironment, type LaunchPlan, planOnHost } from "../sandbox/index.ts";
import { type CliWorld, type FlagValues, UsageError } from "./command.ts";
import { ownPaths } from "./own-paths.ts";
import { type BoundFlags, bindFlags } from "./policy/bind-flags.ts";

export interface PlannedCommand extends BoundFlags {
  readonly plan: LaunchPlan;
}

/** Plans a command under the policy that the flags ask for. Starts nothing. */
export async function planCommand(
  flags: FlagValues,
  argv: readonly string[],
  world: CliWorld,
): Promise<PlannedCommand> {
  const [program, ...args] = argv;
  if (program === undefined) {
    throw new UsageError("Cannot run: no command was given, expected one after --");
  }
  const flagged = await bindFlags(flags, world);
  return { ...flagged, plan: await planBound([program, ...args], flagged, { flags, world }) };
}

/** Plans a command whose policy is bound. Throws `SandboxError` when this host cannot keep it. */
export function planBound(
  command: readonly [string, ...string[]],
  { bound, folder, environment, sources }: BoundFlags,
  { flags, world }: { readonly flags: FlagValues; readonly world: CliWorld },
): Promise<LaunchPlan> {
  const request = {
    command,
    cwd: folder,
    env: buildEnvironment(environment, world.env),
    profile: bound,
    terminal: flags.tty ? ("pty" as const) : ("none" as const),
  };
  return planOnHost(request, ownPaths(world, sources));
}
