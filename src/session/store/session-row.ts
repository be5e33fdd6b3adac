import { processState } from "../../exec/index.ts";
import type { SessionState } from "../lifecycle/session-state.ts";
import { checkSession, type KeptSession } from "./kept-session.ts";
import { SessionStoreError } from "./session-store-error.ts";

/** A row; without an id, the thread is known to have none. */
export interface SessionRow extends Omit<KeptSession, "id" | "state"> {
  readonly id: string | null;
  readonly state: string;
  /** The process that wrote it last. */
  readonly owner: string | null;
}

/** A row as a session: one whose owner is dead is over, whatever it said last. Null without a sandbox. */
export function sessionOfRow(row: SessionRow): KeptSession | null {
  const { owner, id, ...rest } = row;
  if (id === null) return null;
  // A file that nobody has written to since has no such column yet.
  const { dependencies = null } = rest;
  const session = { ...rest, id, dependencies, state: rest.state as SessionState };
  checkKept(session);
  return isOrphan(row) ? { ...session, state: "gone", liveWork: 0 } : session;
}

/** What was put there passed the same checks, unless somebody else wrote to the file. */
function checkKept(session: KeptSession): void {
  try {
    checkSession(session);
  } catch (cause) {
    throw new SessionStoreError(
      "damaged",
      `Cannot read the session "${session.id}": what is kept of it is none, expected a session`,
      { cause },
    );
  }
}

/** Whether it is said to live while the process that had it is dead. */
export function isOrphan({ id, state, owner }: SessionRow): boolean {
  return id !== null && state !== "gone" && processState(owner) === "gone";
}
