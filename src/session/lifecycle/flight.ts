/**
 * One piece of work that several wait for, each as long as it likes.
 *
 * Whoever gives up leaves the work to the others; when the last one does, it is
 * cancelled. Newcomers find out by `isCancelled` that it is none of theirs.
 */
import { unlessAborted } from "../unless-aborted.ts";

export class Flight<T> {
  /** Settles when the work is over, whichever way; never rejects. */
  readonly settled: Promise<void>;
  readonly #outcome: Promise<T>;
  readonly #cancel = new AbortController();
  #waiters = 0;

  constructor(work: (signal: AbortSignal) => Promise<T>) {
    this.#outcome = Promise.resolve(this.#cancel.signal).then(work);
    this.settled = this.#outcome.then(
      () => undefined,
      () => undefined,
    );
  }

  get isCancelled(): boolean {
    return this.#cancel.signal.aborted;
  }

  cancel(): void {
    this.#cancel.abort();
  }

  /** The outcome, or `aborted` as soon as this one waiter gives up. */
  async wait(signal: AbortSignal, what: string): Promise<T> {
    this.#waiters += 1;
    try {
      return await unlessAborted(this.#outcome, signal, what);
    } finally {
      this.#waiters -= 1;
      if (this.#waiters === 0 && signal.aborted) this.cancel();
    }
  }
}
