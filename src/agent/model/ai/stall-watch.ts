/** Aborts when nothing was seen for a while, or when nobody looks any more. */
export class StallWatch {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #isResting = false;

  constructor(stallMs: number) {
    this.#timer = setTimeout(() => this.#controller.abort(), stallMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  touch(): void {
    this.#timer.refresh();
  }

  /** For what was read to its end: nothing hangs on it any more, and an error for nobody takes time to make. */
  rest(): void {
    clearTimeout(this.#timer);
    this.#isResting = true;
  }

  /** Ends what still hangs on it, such as a connection that nobody reads any more. */
  stop(): void {
    clearTimeout(this.#timer);
    if (!this.#isResting) this.#controller.abort();
  }
}
