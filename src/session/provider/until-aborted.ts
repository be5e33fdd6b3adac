import { refuseAborted } from "../refusal.ts";
import { unlessAborted } from "../unless-aborted.ts";
import { type Attempt, whatOf } from "./attempt.ts";

/** Looks at something, where somebody wants to know, and waits no longer than they do. */
export async function untilAborted<T>(
  signal: AbortSignal,
  attempt: Attempt,
  look: () => Promise<T>,
): Promise<T> {
  const what = whatOf(attempt);
  refuseAborted(signal, what);
  return unlessAborted(look(), signal, what);
}
