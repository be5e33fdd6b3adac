import type { SessionOptions } from "./session-options.ts";
import { type SessionLook, SessionRecord } from "./store/session-record.ts";
import type { SessionStore } from "./store/session-store.ts";
import { ThreadSession } from "./thread-session.ts";

export interface KeptSessionOptions extends Omit<SessionOptions, "remembered" | "onReference"> {
  readonly store: SessionStore;
}

/** A thread's session that is on record: the next turn finds its sandbox, and `writ sessions` lists it. */
export class KeptThreadSession extends ThreadSession {
  readonly #record: SessionRecord;

  constructor({ store, ...options }: KeptSessionOptions) {
    const record = new SessionRecord(store, options);
    // A session tells nothing of itself while it is being built.
    const told: { session?: ThreadSession } = {};
    super({
      ...options,
      remembered: record.remembered,
      onReference: async (remembered) => {
        const { session } = told;
        if (session === undefined) return;
        record.keep(remembered, lookAt(session));
        record.follow(() => lookAt(session));
      },
    });
    this.#record = record;
    told.session = this;
  }

  /** What is left for a later turn is idle, not absent. */
  override async release(): Promise<void> {
    await super.release();
    this.#record.close({ state: "idle", liveWork: 0 });
  }

  override async dispose(): Promise<void> {
    await super.dispose();
    this.#record.close(lookAt(this));
  }
}

function lookAt({ state, liveWork }: ThreadSession): SessionLook {
  const liveCalls = Object.values(liveWork).reduce((sum, count) => sum + count, 0);
  return { state, liveWork: liveCalls };
}
