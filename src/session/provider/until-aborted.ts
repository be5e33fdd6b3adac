import { type Attempt, attemptError, type Told } from "./attempt.ts";

const ABORTED: Told = ["aborted", "it was called off, expected to be waited for"];

/** Throws `aborted` where nobody wants it any more. */
export function refuseAborted(signal: AbortSignal, attempt: Attempt): void {
  if (signal.aborted) throw attemptError(ABORTED, attempt);
}

/** Waits for a look at something, but no longer than somebody wants to know. */
export async function untilAborted<T>(
  signal: AbortSignal,
  attempt: Attempt,
  look: () => Promise<T>,
): Promise<T> {
  refuseAborted(signal, attempt);
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(attemptError(ABORTED, attempt));
  signal.addEventListener("abort", abort, { once: true });
  const looking = look();
  // Whoever has left does not hear how it went.
  looking.catch(() => {});
  try {
    return await Promise.race([looking, promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
