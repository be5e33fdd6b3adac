import { HttpFailure } from "./http-failure.ts";

/** Past it a timer fires at once; 24 days are as good as no end. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Until when one request may go on, its body included: a time, and whoever else may end it. */
export class Deadline {
  readonly signal: AbortSignal;
  readonly #own = new AbortController();
  readonly #timer: NodeJS.Timeout | undefined;

  constructor(timeoutMs: number | undefined, others: readonly AbortSignal[]) {
    this.signal = AbortSignal.any([this.#own.signal, ...others]);
    if (timeoutMs === undefined) return;
    const late = () => this.#own.abort(new HttpFailure(`it took longer than ${timeoutMs} ms`));
    this.#timer = setTimeout(late, Math.min(timeoutMs, LONGEST_TIMER_MS));
  }

  /** Lets go of the timer, and of a connection that is still open. */
  release(): void {
    clearTimeout(this.#timer);
    this.#own.abort();
  }
}
