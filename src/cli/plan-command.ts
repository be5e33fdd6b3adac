import { ExecError, type PlannedStart, planStart } from "../exec/index.ts";
import { PolicyError } from "../policy/index.ts";
import { SandboxError } from "../sandbox/index.ts";
import { type CliWorld, type FlagValues, UsageError } from "./command.ts";
import { type BoundFlags, bindFlags } from "./policy/bind-flags.ts";
import { type FlagsPlace, startOfFlags } from "./start-of-flags.ts";

export interface PlannedCommand extends BoundFlags, Pick<PlannedStart, "plan"> {}

/** Plans a command under the policy that the flags ask for. Starts nothing. */
export async function planCommand(
  flags: FlagValues,
  argv: readonly string[],
  world: CliWorld,
): Promise<PlannedCommand> {
  refuseNoCommand(argv, "plan");
  const flagged = await bindFlags(flags, world);
  const { plan } = await planFlagged(argv, flagged, { flags, world });
  return { ...flagged, plan };
}

/** Throws where nothing is there to be started. */
export function refuseNoCommand([program]: readonly string[], verb: "run" | "plan"): void {
  if (program === undefined) {
    throw new UsageError(`Cannot ${verb}: no command was given, expected one after --`);
  }
  if (program === "") {
    throw new UsageError(`Cannot ${verb} "": it is empty, expected a program after --`);
  }
}

/** Plans a command whose policy is known. Throws `SandboxError` when this host cannot keep it. */
export async function planFlagged(
  argv: readonly string[],
  flagged: BoundFlags,
  place: FlagsPlace,
): Promise<PlannedStart> {
  const { request, host } = startOfFlags(argv, flagged, place);
  try {
    return await planStart(request, host);
  } catch (error) {
    throw ownCause(error);
  }
}

/** On one machine there is no wire between who asks and who refuses: the reason itself is told. */
function ownCause(error: unknown): unknown {
  if (!(error instanceof ExecError)) return error;
  const { cause, code, message } = error;
  if (cause instanceof SandboxError || cause instanceof PolicyError) return cause;
  return code === "spawnFailed" || code === "unenforceable"
    ? new SandboxError("unenforceableRule", message, { cause: error })
    : error;
}
