import path from "node:path";
import type { CliWorld } from "./command.ts";

/** Where writ keeps what is its own: `$WRIT_HOME`, else `~/.writ`. */
export function writHome({ env, home, cwd }: CliWorld): string {
  return env.WRIT_HOME ? path.resolve(cwd, env.WRIT_HOME) : path.join(home, ".writ");
}
