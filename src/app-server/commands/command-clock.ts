/** Time as commands see it. A test has one of its own, so that nothing waits. */
export interface CommandClock {
  /** Calls once after `ms`; returns how to call it off. */
  after(ms: number, call: () => void): () => void;
}

/** What a timer can count to. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The clock of this machine. */
export const SYSTEM_CLOCK: CommandClock = {
  after(ms, call) {
    const timer = setTimeout(call, Math.min(ms, LONGEST_TIMER_MS)).unref();
    return () => clearTimeout(timer);
  },
};
