import { ABORTED } from "./or-aborted.ts";

/**
 * Waits for one thing after the other, each unless a signal fires: as `orAborted`, with one listener
 * for all of them. An answer has as many parts as it has words.
 */
export class AbortRace {
  readonly #signal: AbortSignal;
  readonly #abort = () => this.#stop?.(ABORTED);
  #stop: ((lost: typeof ABORTED) => void) | undefined;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener("abort", this.#abort, { once: true });
  }

  /** What `work` comes to, or {@link ABORTED} as soon as the signal fires; the work itself goes on. */
  wait<T>(work: Promise<T>): Promise<T | typeof ABORTED> {
    const { promise, resolve, reject } = Promise.withResolvers<T | typeof ABORTED>();
    this.#stop = resolve;
    if (this.#signal.aborted) this.#abort();
    // Whoever is no longer waited for must not end the process: what comes late is dropped here.
    work.then(resolve, reject);
    return promise;
  }

  /** Nothing is waited for any more. */
  end(): void {
    this.#signal.removeEventListener("abort", this.#abort);
  }
}
