import { randomUUID } from "node:crypto";
import { RpcError } from "../../../rpc/index.ts";
import type { AnchorOperations } from "../../anchor-operations.ts";
import { type Attachment, ExecSession, SESSION_TIMES, type SessionTimes } from "./exec-session.ts";

/** What clients leave behind when they drop is kept for a while; there must be an end to it. */
const MOST_SESSIONS = 4096;

/** The sessions of one server, by the ids that clients come back with. */
export class ExecSessions {
  readonly #times: SessionTimes;
  readonly #anchors: AnchorOperations | undefined;
  readonly #sessions = new Map<string, ExecSession>();
  /** Of those without a connection, the one that lost it first before the others. */
  readonly #expiries = new Map<ExecSession, NodeJS.Timeout>();

  constructor(times: SessionTimes = SESSION_TIMES, anchors?: AnchorOperations) {
    this.#times = times;
    this.#anchors = anchors;
  }

  /** A new session, or the one of an earlier connection that is gone. */
  open(resume: string | undefined, sink: Attachment): ExecSession {
    const session = resume === undefined ? this.#create() : this.#find(resume);
    this.#stopExpiry(session);
    session.attach(sink);
    return session;
  }

  /** The connection is over; unless somebody comes back in time, all of the session is ended. */
  detach(session: ExecSession): void {
    session.attach(undefined);
    const timer = setTimeout(() => this.drop(session), this.#times.detachedMs);
    timer.unref();
    this.#expiries.set(session, timer);
  }

  /** Ends one that nobody waits for: what fails then has nobody to be told. */
  drop(session: ExecSession): void {
    this.end(session).catch(() => {});
  }

  async end(session: ExecSession): Promise<void> {
    this.#stopExpiry(session);
    this.#sessions.delete(session.id);
    await session.close();
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#sessions.values()].map((session) => this.end(session)));
  }

  #create(): ExecSession {
    if (this.#sessions.size >= MOST_SESSIONS && !this.#makeRoom()) {
      throw new RpcError("overloaded", `${MOST_SESSIONS} sessions are open, expected fewer`);
    }
    const session = new ExecSession(randomUUID(), this.#times, this.#anchors);
    this.#sessions.set(session.id, session);
    return session;
  }

  /** Somebody may come and go until all are taken. What has nothing to come back for gives way first. */
  #makeRoom(): boolean {
    const oldest = this.#expiries.keys().find((session) => session.isUnused);
    if (oldest !== undefined) this.drop(oldest);
    return oldest !== undefined;
  }

  #stopExpiry(session: ExecSession): void {
    clearTimeout(this.#expiries.get(session));
    this.#expiries.delete(session);
  }

  #find(id: string): ExecSession {
    const session = this.#sessions.get(id);
    if (session === undefined) throw new RpcError("invalidRequest", `unknown session id ${id}`);
    if (!session.isAttached) return session;
    void session.doubt();
    throw new RpcError("conflict", `session ${id} is already attached to another connection`);
  }
}
