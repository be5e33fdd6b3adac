import { attemptError } from "./attempt.ts";
import type { ProvidedCommand } from "./provided-command.ts";

/** The command of that id among those that run. Throws `notFound` where none does. */
export function findCommand<T extends Pick<ProvidedCommand, "id">>(
  running: Iterable<T>,
  id: string,
): T {
  for (const one of running) if (one.id === id) return one;
  const what = "no command of that name runs in the sandbox, expected one that does";
  throw attemptError(["notFound", what], { verb: "find", thing: id, work: "look" });
}
