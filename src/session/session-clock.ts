/** Time as a session sees it. A test has one of its own, so that nothing waits. */
export interface SessionClock {
  now(): number;
  /** Calls once after `ms`; returns how to call it off. Keeps no process alive. */
  after(ms: number, call: () => void): () => void;
}

/** More than a timer holds would be no time at all. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The clock of this machine. */
export const SYSTEM_CLOCK: SessionClock = {
  now: () => Date.now(),
  after(ms, call) {
    const timer = setTimeout(call, Math.min(ms, LONGEST_TIMER_MS)).unref();
    return () => clearTimeout(timer);
  },
};
