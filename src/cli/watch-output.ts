import { visibleLine } from "../sandbox/index.ts";
import type { CliWorld } from "./command.ts";

/**
 * Watches for output of a command that cannot be written where this process writes it. A command that has a
 * pipe in the place of a file is not told of a full disk, and its own status says that all is well.
 */
export function watchOutput({ err }: CliWorld): (status: number) => number {
  let lost: NodeJS.ErrnoException | undefined;
  const note = (error: NodeJS.ErrnoException) => {
    // A reader that has left wants no more.
    if (error.code !== "EPIPE") lost ??= error;
  };
  for (const stream of [process.stdout, process.stderr]) stream.on("error", note);
  return (status) => {
    for (const stream of [process.stdout, process.stderr]) stream.off("error", note);
    if (lost === undefined) return status;
    err(`writ: Cannot write the output of the command: ${visibleLine(lost.message)}\n`);
    return status || NOT_DONE;
  };
}

const NOT_DONE = 1;
