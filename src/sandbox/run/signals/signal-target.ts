import { statOf } from "../../placeholders/stat-of.ts";

/** Whom a signal goes to: the command and who is in its group, or the command alone. */
export type SignalReach = "group" | "command";

/** The command of a sandbox and the sandbox's first process, by their numbers on this host. */
export interface SandboxedCommand {
  readonly command: number;
  readonly first: number;
}

/**
 * The number that a signal to the command is sent to, as kill(2) takes it; nothing where the command is gone.
 *
 * A group lies within one session, and in one that the first process or the command has made there is nobody from
 * outside. Until then the command is in the group of whoever starts it, which is this process's own, and gets the
 * signal alone. The first process may be in the group, and goes on: from the first process of a namespace the kernel
 * keeps a signal that it does not handle.
 */
export function signalTarget(
  { command, first }: SandboxedCommand,
  reach: SignalReach,
): number | undefined {
  const [, parent, group = Number.NaN, session] = (statOf(command) ?? []).map(Number);
  // Else its number is another one's by now.
  if (parent !== first) return undefined;
  const isApart = session === first || session === command;
  return reach === "group" && isApart ? -group : command;
}
