import type { Link, Speech } from "../protocol/link.ts";
import { type LinkListener, lineOf, WorkerLink } from "../protocol/worker-link.ts";
import { ShellLink } from "../shell/shell-link.ts";
import { SHELL_WORDS } from "../shell/shell-words.ts";

/** A link to a worker that speaks so; `tell` writes to it what nobody asked for. */
export function createLink(
  speech: Speech,
  listener: LinkListener,
  tell: (words: string) => void,
): Link {
  return speech === "shell"
    ? new ShellLink(listener, tell)
    : new WorkerLink(listener, speech === "frames");
}

/** What a worker that speaks so is told before it is interrupted or ended. */
export function wordsOf(speech: Speech): { readonly interrupt: string; readonly shutdown: string } {
  return speech === "shell"
    ? SHELL_WORDS
    : { interrupt: lineOf({ type: "interrupt" }), shutdown: lineOf({ type: "shutdown" }) };
}
