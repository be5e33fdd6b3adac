import path from "node:path";
import { type Explanation, parseAbsolutePath } from "../policy/index.ts";
import { ownOnHost } from "../sandbox/index.ts";
import { type CliWorld, type FlagValues, UsageError } from "./command.ts";
import { ownPaths } from "./own-paths.ts";
import { bindFlags } from "./policy/bind-flags.ts";
import { explainKept } from "./policy/explain-kept.ts";

/** Binds the policy that the flags ask for and explains each path under it. */
export async function explainPaths(
  flags: FlagValues,
  paths: readonly string[],
  world: CliWorld,
): Promise<Explanation[]> {
  if (paths.includes("")) throw new UsageError('Cannot explain "": expected a path');
  const { bound, folder, sources } = await bindFlags(flags, world);
  const own = ownOnHost(ownPaths(world, sources));
  return paths.map((one) => explainKept(bound, parseAbsolutePath(path.resolve(folder, one)), own));
}
