/**
 * One piece of work that several wait for, each as long as it likes.
 *
 * Whoever gives up leaves the work to the others; when the last one does, it is
 * cancelled. Newcomers find out by `isCancelled` that it is none of theirs.
 */
import { refuseAborted } from "../refusal.ts";

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

/** Waits for a promise, but no longer than somebody wants it. What becomes of it then is not lost on the process. */
export async function unlessAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal,
  what: string,
): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const giveUp = () => {
    try {
      refuseAborted(signal, what);
    } catch (error) {
      reject(error);
    }
  };
  signal.addEventListener("abort", giveUp, { once: true });
  promise.catch(() => {});
  try {
    refuseAborted(signal, what);
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}
