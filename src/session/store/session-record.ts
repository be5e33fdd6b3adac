/**
 * Keeps the row of one thread up to date while its session lives.
 *
 * A new sandbox is on record before anything is done in it. What changes often,
 * such as how much runs in it, follows a moment later: a command need not wait
 * for a disk.
 */
import { profileDigest } from "../../policy/index.ts";
import type { SessionState } from "../lifecycle/session-state.ts";
import { SessionError } from "../session-error.ts";
import type { RememberedSession, SessionOptions } from "../session-options.ts";
import type { KeptSession } from "./kept-session.ts";
import type { SessionStore } from "./session-store.ts";

/** What of a session changes between two looks. */
export interface SessionLook {
  readonly state: SessionState;
  readonly liveWork: number;
}

const LOOK_MS = 250;

/** Somebody else has the thread: what is done here would not be on record. */
function refuseLater(isKept: boolean, thread: string): void {
  if (isKept) return;
  throw new SessionError(
    "exists",
    `Cannot keep the session of "${thread}": another one is on record, expected one at a time`,
  );
}

export class SessionRecord {
  readonly #store: SessionStore;
  readonly #thread: string;
  readonly #provider: string;
  readonly #now: () => number;
  #row: KeptSession | null | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    store: SessionStore,
    { thread, provider }: Pick<SessionOptions, "thread" | "provider">,
  ) {
    this.#store = store;
    this.#thread = thread;
    this.#provider = provider.name;
    this.#now = Date.now;
    this.#row = store.get(thread);
  }

  /** What an earlier turn left. Its policy is not kept, so only the same one will do. */
  get remembered(): RememberedSession | null | undefined {
    if (!this.#row) return this.#row;
    const { id, boundDigest, generation } = this.#row;
    return { reference: { id, boundDigest, generation }, base: null };
  }

  /** Throws what the store throws; then nothing is done in the sandbox. */
  keep(remembered: RememberedSession | null, look: SessionLook): void {
    const now = this.#now();
    if (remembered === null) {
      const generation = this.#row?.generation ?? 0;
      refuseLater(this.#store.clear({ thread: this.#thread, generation }), this.#thread);
      this.#row = null;
      return;
    }
    const { reference, base } = remembered;
    const [thread, provider] = [this.#thread, this.#provider];
    const digest = base?.kind === "enforce" ? profileDigest(base.context.profile) : null;
    const times = { createdAt: now, lastUsedAt: now };
    const row = { ...reference, ...look, ...times, thread, provider, profileDigest: digest };
    refuseLater(this.#store.put(row), this.#thread);
    this.#row = row;
  }

  /** Looks at the session from time to time; the process need not live for it. */
  follow(look: () => SessionLook): void {
    this.#timer ??= setInterval(() => this.update(look()), LOOK_MS).unref();
  }

  /** Writes what has changed. What the store cannot take now is tried again with the next look. */
  update(look: SessionLook): void {
    const row = this.#row;
    if (!row || (row.state === look.state && row.liveWork === look.liveWork)) return;
    const next = { ...row, ...look, lastUsedAt: this.#now() };
    try {
      this.#store.put(next);
      this.#row = next;
    } catch {
      // Of no weight: the sandbox itself is on record.
    }
  }

  close(look: SessionLook): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.update(look);
  }
}
