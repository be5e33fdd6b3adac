import { realpath } from "node:fs/promises";
import path from "node:path";
import { accessTo, type BoundProfile, parseAbsolutePath } from "../policy/index.ts";
import { buildEnvironment, type LaunchPlan, planOnHost, SandboxError } from "../sandbox/index.ts";
import { bindFlags, ownHome } from "./bind-flags.ts";
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
  await refuseOwnHome(bound, world);
  return planOnHost({
    command: [program, ...args],
    cwd: folder,
    env: buildEnvironment({ inherit: "core", include: [], exclude: [], set: {} }, world.env),
    profile: bound,
    terminal: "none",
  });
}

/** Settings, records and the compile cache decide what the next start does: no command may write them. */
async function refuseOwnHome(bound: BoundProfile, world: CliWorld): Promise<void> {
  const home = ownHome(world);
  const real = parseAbsolutePath(await realOrPlanned(home));
  if (bound.enforcement === "disabled" || accessTo(bound, real) !== "write") return;
  throw new SandboxError(
    "unprotectablePath",
    `Cannot run under this policy: it lets the command write to "${real}", where writ keeps its settings. Set WRIT_HOME to another place`,
  );
}

/** Where a path leads, or would lead once it is made. */
async function realOrPlanned(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch (error) {
    const missing = error instanceof Error && "code" in error && error.code === "ENOENT";
    if (!missing || path.dirname(file) === file) throw error;
    return path.join(await realOrPlanned(path.dirname(file)), path.basename(file));
  }
}
