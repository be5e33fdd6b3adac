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

export class SessionRecord {
  readonly #store: SessionStore;
  readonly #thread: string;
  readonly #provider: string;
  readonly #look: () => SessionLook;
  #row: KeptSession | null | undefined;
  #generation: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    store: SessionStore,
    { thread, provider }: Pick<SessionOptions, "thread" | "provider">,
    look: () => SessionLook,
  ) {
    this.#store = store;
    this.#thread = thread;
    this.#provider = provider.name;
    this.#look = look;
    this.#row = store.get(thread);
    this.#generation = store.generationOf(thread);
  }

  /** Of the last sandbox that the thread had, also where it has none now. */
  get generation(): number {
    return this.#generation;
  }

  /** What an earlier turn left. Its policy is not kept, so only the same one will do. */
  get remembered(): RememberedSession | null | undefined {
    if (!this.#row) return this.#row;
    const { id, boundDigest, generation, dependencies } = this.#row;
    return { reference: { id, boundDigest, generation, dependencies }, base: null };
  }

  /** Throws what the store throws; then nothing is done in the sandbox. From now on it is looked at from time to time. */
  keep(remembered: RememberedSession | null): void {
    const [thread, provider] = [this.#thread, this.#provider];
    if (remembered === null) {
      this.#refuseOther(this.#store.clear({ thread, generation: this.#generation }));
      this.#row = null;
      return;
    }
    const { reference, base } = remembered;
    const digest = base?.kind === "enforce" ? profileDigest(base.context.profile) : null;
    const times = { createdAt: Date.now(), lastUsedAt: Date.now() };
    const row = {
      ...reference,
      ...this.#look(),
      ...times,
      thread,
      provider,
      profileDigest: digest,
    };
    this.#refuseOther(this.#store.put(row));
    this.#row = row;
    this.#generation = reference.generation;
    this.#timer ??= setInterval(() => this.#update(this.#look()), LOOK_MS).unref();
  }

  /** Keeps how it was left. */
  close(left: SessionLook): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#update(left);
  }

  /** Writes what has changed. What the store cannot take now is tried again with the next look. */
  #update(look: SessionLook): void {
    const row = this.#row;
    if (!row || (row.state === look.state && row.liveWork === look.liveWork)) return;
    const next = { ...row, ...look, lastUsedAt: Date.now() };
    try {
      if (this.#store.put(next)) this.#row = next;
    } catch {
      // Of no weight: the sandbox itself is on record.
    }
  }

  /** Somebody else has the thread: what is done here would not be on record. */
  #refuseOther(isKept: boolean): void {
    if (isKept) return;
    throw new SessionError(
      "exists",
      `Cannot keep the session of "${this.#thread}": another one is on record, expected one at a time`,
    );
  }
}
