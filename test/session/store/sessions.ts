import type { KeptSession } from "../../../src/session/store/kept-session.ts";

/** A session that is kept, with what a test says about it. */
export function aSession(more: Partial<KeptSession> = {}): KeptSession {
  return {
    thread: "thread-1",
    id: "sandbox-1",
    provider: "local",
    state: "ready",
    boundDigest: "b".repeat(64),
    profileDigest: "p".repeat(64),
    dependencies: null,
    generation: 1,
    createdAt: Date.UTC(2026, 0, 1),
    lastUsedAt: Date.UTC(2026, 0, 1),
    liveWork: 2,
    ...more,
  };
}
