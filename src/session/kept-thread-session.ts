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
    const built: ThreadSession[] = [];
    const record = new SessionRecord(store, options, () => built.map(lookAt)[0] ?? NOTHING_YET);
    super({
      ...options,
      remembered: record.remembered,
      generation: record.generation,
      onReference: async (remembered) => record.keep(remembered),
    });
    this.#record = record;
    built.push(this);
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

const NOTHING_YET: SessionLook = { state: "absent", liveWork: 0 };
