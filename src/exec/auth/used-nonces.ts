/** What became of a nonce: it was new, it was used before, or it cannot be remembered. */
export type NonceUse = "new" | "used" | "full";

const CAPACITY = 100_000;

/**
 * Remembers what was used until it could not be used again anyway.
 *
 * It never forgets to make room: when it is full, what comes is refused. Whatever
 * is as old as something forgotten counts as used, so a clock that is set
 * back does not let it in again.
 */
export class UsedNonces {
  readonly #capacity: number;
  /** Each nonce and the time from which it may be forgotten. */
  readonly #used = new Map<string, number>();
  #forgotten = Number.NEGATIVE_INFINITY;

  constructor(capacity = CAPACITY) {
    this.#capacity = capacity;
  }

  /** Uses a nonce that nobody accepts after `until`. */
  use(nonce: string, until: number, now: number): NonceUse {
    if (this.#used.has(nonce) || until <= this.#forgotten) return "used";
    if (this.#used.size >= this.#capacity) this.#forget(now);
    if (this.#used.size >= this.#capacity) return "full";
    this.#used.set(nonce, until);
    return "new";
  }

  #forget(now: number): void {
    for (const [nonce, until] of this.#used) {
      if (until >= now) continue;
      this.#used.delete(nonce);
      this.#forgotten = Math.max(this.#forgotten, until);
    }
  }
}
