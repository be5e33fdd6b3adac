/**
 * The states of a thread's sandbox, as a table.
 *
 * Only `probed` leads to `ready`: nothing is used because it was made, found or
 * alive a while ago. A step that the table does not have is a mistake of ours.
 */
export type SessionState =
  | "absent"
  | "booting"
  | "ready"
  | "idle"
  | "draining"
  | "gone"
  /** It was there and is not; the next one to ask gets another. */
  | "lost";

export type SessionStep =
  | "boot"
  /** A boot that came to nothing. */
  | "fail"
  | "probed"
  /** Nothing runs in it and nobody waits for it. */
  | "quiet"
  | "lose"
  | "drain"
  | "stop"
  /** Left alone for a later turn. */
  | "release";

const STEPS: Record<SessionState, Partial<Record<SessionStep, SessionState>>> = {
  absent: { boot: "booting", lose: "lost", drain: "draining", stop: "gone", release: "absent" },
  booting: { fail: "absent", probed: "ready", lose: "lost", drain: "draining", release: "absent" },
  ready: { probed: "ready", quiet: "idle", lose: "lost", drain: "draining", release: "absent" },
  idle: { probed: "ready", quiet: "idle", lose: "lost", drain: "draining", release: "absent" },
  draining: { stop: "gone", fail: "absent" },
  gone: { boot: "booting", drain: "draining", stop: "gone", release: "gone" },
  lost: { boot: "booting", drain: "draining", stop: "gone", release: "lost", fail: "lost" },
};

/** The state after `step`. Throws where there is no such step. */
export function stateAfter(state: SessionState, step: SessionStep): SessionState {
  const next = STEPS[state][step];
  if (next !== undefined) return next;
  const expected = Object.keys(STEPS[state]).join(", ");
  throw new Error(`Cannot take the step "${step}": the session is ${state}, expected ${expected}`);
}
