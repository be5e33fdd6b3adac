import type { CliWorld } from "../command.ts";

/** At a terminal, a server that waits for its client looks like a program that hangs. */
export function sayWaiting(wire: string, { isWatched, err }: CliWorld): void {
  if (isWatched && process.stdin.isTTY) {
    err(`writ: waiting for a program that speaks ${wire}; ^D ends it\n`);
  }
}
