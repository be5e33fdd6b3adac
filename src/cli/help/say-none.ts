import { visibleLine } from "../../sandbox/index.ts";
import type { CliWorld } from "../command.ts";

/** A list of nothing looks like a command that did nothing; a program can count lines. */
export function sayNone(what: string, { isWatched, err }: CliWorld): void {
  if (isWatched) err(`writ: ${visibleLine(what)}\n`);
}
