import type { SessionClock } from "../session/index.ts";

/** Time as a turn sees it. A test has one of its own, so that nothing waits. */
export type AgentClock = SessionClock;

/** The clock of this machine. */
export const SYSTEM_CLOCK: AgentClock = {
  now: () => Date.now(),
  after(ms, call) {
    const timer = setTimeout(call, ms).unref();
    return () => clearTimeout(timer);
  },
};
