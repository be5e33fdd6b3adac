/** Time as a session sees it. A test has one of its own, so that nothing waits. */
export interface SessionClock {
  now(): number;
  /** Calls once after `ms`; returns how to call it off. Keeps no process alive. */
  after(ms: number, call: () => void): () => void;
}

/** The clock of this machine. */
export const SYSTEM_CLOCK: SessionClock = {
  now: () => Date.now(),
  after(ms, call) {
    const timer = setTimeout(call, ms).unref();
    return () => clearTimeout(timer);
  },
};
