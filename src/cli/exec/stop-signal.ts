/** Settles with the first of the signals that tell a server to stop. */
export function stopSignal(...signals: readonly NodeJS.Signals[]): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const signal of signals) process.once(signal, () => resolve());
  return promise;
}
