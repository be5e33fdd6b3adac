import type { SessionClock } from "../session-clock.ts";

/** Why something is not waited for any longer. */
export type Impatience = "timedOut" | "aborted";

export interface Patience {
  /** Settles when it is over, unless it was stopped before. */
  readonly over: Promise<Impatience>;
  stop(): void;
}

/** As long as somebody wants it, and no longer than `ms`. */
export function patienceOf(clock: SessionClock, ms: number, signal: AbortSignal): Patience {
  const { promise: over, resolve } = Promise.withResolvers<Impatience>();
  const aborted = () => resolve("aborted");
  const cancel = clock.after(ms, () => resolve("timedOut"));
  signal.addEventListener("abort", aborted, { once: true });
  if (signal.aborted) aborted();
  const stop = () => {
    cancel();
    signal.removeEventListener("abort", aborted);
  };
  return { over, stop };
}
