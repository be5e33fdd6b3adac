import { ownPathsOf } from "../exec/index.ts";
import type { OwnPaths } from "../sandbox/index.ts";
import type { CliWorld } from "./command.ts";
import { ownHome } from "./policy/bind-flags.ts";

/** Where settings, records and the program itself lie on this host. */
export function ownPaths(world: CliWorld, sources: readonly string[]): OwnPaths {
  return ownPathsOf(ownHome(world), sources);
}
