import path from "node:path";
import { type Explanation, explain, parseAbsolutePath } from "../policy/index.ts";
import { type CliWorld, type FlagValues, UsageError } from "./command.ts";
import { bindFlags } from "./policy/bind-flags.ts";

/** Binds the policy that the flags ask for and explains each path under it. */
export async function explainPaths(
  flags: FlagValues,
  paths: readonly string[],
  world: CliWorld,
): Promise<Explanation[]> {
  if (paths.includes("")) throw new UsageError('Cannot explain "": expected a path');
  const { bound, folder } = await bindFlags(flags, world);
  return paths.map((one) => explain(bound, parseAbsolutePath(path.resolve(folder, one))));
}
