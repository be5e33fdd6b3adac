import fs from "node:fs";
import path from "node:path";
import { REQUIREMENTS } from "../config/index.ts";
import { ownPathsOf } from "../exec/index.ts";
import type { OwnPaths } from "../sandbox/index.ts";
import type { CliWorld } from "./command.ts";
import { ownHome } from "./policy/bind-flags.ts";

/** Where settings, records and the program itself lie on this host. */
export function ownPaths(world: CliWorld, sources: readonly string[]): OwnPaths {
  return ownPathsOf(ownHome(world), sources.flatMap(protectable));
}

/**
 * A missing file is kept missing by something else in its place, which whoever reads it meanwhile
 * would find there. The operator's is read by everybody, so its folder is closed instead.
 */
function protectable(source: string): string[] {
  if (source !== REQUIREMENTS) return [source];
  return [path.dirname(source), ...(fs.existsSync(source) ? [source] : [])];
}
