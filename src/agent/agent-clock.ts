import type { SessionClock } from "../session/index.ts";

/** Time as a turn sees it. A test has one of its own, so that nothing waits. */
export type AgentClock = SessionClock;

/** More than a timer holds would be no time at all. */
const LONGEST_MS = 2 ** 31 - 1;

/** The clock of this machine. */
export const SYSTEM_CLOCK: AgentClock = {
  now: () => Date.now(),
  after(ms, call) {
    const timer = setTimeout(call, Math.min(ms, LONGEST_MS)).unref();
    return () => clearTimeout(timer);
  },
};
