/** A terminal that is closed says the last of them: what is not undone then stays in the folders of others. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Settles with the first of the signals that tell a server to stop. */
export function stopSignal(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const signal of SIGNALS) process.once(signal, () => resolve());
  return promise;
}
