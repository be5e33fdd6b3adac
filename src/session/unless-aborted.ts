import { refuseAborted } from "./refusal.ts";

/** Waits for a promise, but no longer than somebody wants it. What becomes of it then is not lost on the process. */
export async function unlessAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal,
  what: string,
): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const giveUp = () => {
    try {
      refuseAborted(signal, what);
    } catch (error) {
      reject(error);
    }
  };
  signal.addEventListener("abort", giveUp, { once: true });
  promise.catch(() => {});
  try {
    refuseAborted(signal, what);
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}
