import type { DatabaseSync, StatementSync } from "node:sqlite";

export interface StoreBounds {
  readonly maxReceipts: number;
  /** Of the whole file, as far as it is in use. */
  readonly maxBytes: number;
}

/**
 * Lets the oldest runs go until what is left is within the bounds; the newest always stays.
 *
 * Runs only ever go from the oldest on, so their numbers have no gap and tell how many there are.
 * The file does not shrink: what is free in it is used for the next.
 */
export class RunTrimmer {
  readonly #database: DatabaseSync;
  readonly #bounds: StoreBounds;
  readonly #usage: StatementSync;

  constructor(database: DatabaseSync, bounds: StoreBounds) {
    this.#database = database;
    this.#bounds = bounds;
    this.#usage = database.prepare(`
      SELECT (SELECT min(seq) FROM runs) AS oldest, (SELECT max(seq) FROM runs) AS newest,
        ((SELECT page_count FROM pragma_page_count) -
          (SELECT freelist_count FROM pragma_freelist_count)) *
          (SELECT page_size FROM pragma_page_size) AS bytes`);
  }

  /** To be called within the transaction that adds to the store. */
  trim(): void {
    for (let last = this.#beyond(); last !== undefined; last = this.#beyond()) {
      this.#database.prepare("DELETE FROM ends WHERE seq <= ?").run(last);
      this.#database.prepare("DELETE FROM runs WHERE seq <= ?").run(last);
    }
  }

  /** The last of the runs that have to go; nothing when all may stay. */
  #beyond(): number | undefined {
    const { oldest, newest, bytes } = this.#usage.get() ?? {};
    if (typeof oldest !== "number" || typeof newest !== "number" || oldest === newest) {
      return undefined;
    }
    const { maxReceipts, maxBytes } = this.#bounds;
    const beyond = newest - maxReceipts;
    // Some more than have to go: the next runs should find room without another look for it.
    if (beyond >= oldest) return Math.min(beyond + Math.floor(maxReceipts / 64), newest - 1);
    const some = oldest + Math.floor((newest - oldest) / 64);
    return Number(bytes) > maxBytes ? Math.min(some, newest - 1) : undefined;
  }
}
