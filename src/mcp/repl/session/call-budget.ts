/** How long a call may take, and how much of that it may wait for its worker. */

const DEFAULT_MS = 60_000;
/** Below it, nothing is held back. */
const SHORT_MS = 2_000;
/** What a call may take longer than it was given, where a worker still starts. */
const START_MS = 1_000;

export class CallBudget {
  /** Aborted when whoever called no longer waits. */
  readonly signal: AbortSignal;
  readonly #begun = performance.now();
  readonly #totalMs: number;

  constructor(timeoutMs: number | undefined, signal: AbortSignal) {
    this.#totalMs = timeoutMs ?? DEFAULT_MS;
    this.signal = signal;
  }

  /** What is left of it. */
  all(): number {
    return this.#totalMs - this.elapsed();
  }

  /** A little less, so that the reply is there before a client gives up. */
  most(): number {
    const total = this.#totalMs;
    const kept = total < SHORT_MS ? 0 : Math.min(Math.max(total * 0.05, 200), SHORT_MS);
    return this.all() - kept;
  }

  /** A little more: input that reached no worker would have to be sent again. */
  start(): number {
    return this.all() + Math.max(this.#totalMs * 0.05, START_MS);
  }

  elapsed(): number {
    return performance.now() - this.#begun;
  }
}
