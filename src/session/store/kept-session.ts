/** What is kept of a thread's session, and the checks it passes on its way into the store and out of it. */
import type { SessionState } from "../lifecycle/session-state.ts";
import { SessionStoreError } from "./session-store-error.ts";

export interface KeptSession {
  readonly thread: string;
  /** Its name with the provider. */
  readonly id: string;
  readonly provider: string;
  readonly state: SessionState;
  readonly boundDigest: string;
  /** Null where nobody said what the policy is called. */
  readonly profileDigest: string | null;
  /** Names what it started from; null where that is nothing. */
  readonly dependencies: string | null;
  /** Counts the sandboxes of the thread. */
  readonly generation: number;
  /** Milliseconds since 1970, as are all times here. */
  readonly createdAt: number;
  readonly lastUsedAt: number;
  /** Commands, background processes and calls that are not over. */
  readonly liveWork: number;
}

const STATES: Readonly<Record<SessionState, true>> = {
  absent: true,
  booting: true,
  ready: true,
  idle: true,
  draining: true,
  gone: true,
  lost: true,
};

const TEXTS = ["thread", "id", "provider", "boundDigest", "profileDigest", "dependencies"] as const;
const MOST_CHARACTERS = 4096;

/** Throws `invalid` unless all of it can be meant. */
export function checkSession(session: KeptSession): void {
  for (const name of TEXTS) {
    const text = session[name];
    if (text !== null) checkText(name, text);
  }
  for (const name of ["generation", "createdAt", "lastUsedAt", "liveWork"] as const) {
    checkCount(name, session[name]);
  }
  if (!Object.hasOwn(STATES, session.state)) {
    throw invalid("state", `it is "${session.state}", expected a state of a session`);
  }
}

/** Throws `invalid` for a name that is none. */
export function checkText(name: string, text: string): void {
  if (text === "" || text.length > MOST_CHARACTERS) {
    throw invalid(name, `it has ${text.length} characters, expected 1 to ${MOST_CHARACTERS}`);
  }
}

/** Throws `invalid` for what counts nothing. */
export function checkCount(name: string, count: number): void {
  if (Number.isSafeInteger(count) && count >= 0) return;
  throw invalid(name, `it is ${count}, expected a whole number from 0 on`);
}

function invalid(name: string, what: string): SessionStoreError {
  return new SessionStoreError("invalid", `Cannot keep "${name}" of a session: ${what}`);
}
