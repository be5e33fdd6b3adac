import type { SessionClock } from "../session/index.ts";

/** Time as a turn sees it. A test has one of its own, so that nothing waits. */
export type AgentClock = SessionClock;
