/** Stands for what did not come before the signal. */
export const ABORTED = Symbol("aborted");

/** What `work` comes to, or {@link ABORTED} as soon as the signal fires; the work itself goes on. */
export async function orAborted<T>(
  work: Promise<T>,
  signal: AbortSignal,
): Promise<T | typeof ABORTED> {
  const { promise, resolve } = Promise.withResolvers<typeof ABORTED>();
  const abort = () => resolve(ABORTED);
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  // Whoever is no longer waited for must not end the process.
  work.catch(() => {});
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
