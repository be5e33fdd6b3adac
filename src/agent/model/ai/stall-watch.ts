/** Aborts when nothing was seen for a while, or when nobody looks any more. */
export class StallWatch {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(stallMs: number) {
    this.#timer = setTimeout(() => this.#controller.abort(), stallMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  touch(): void {
    this.#timer.refresh();
  }

  /** Ends what still hangs on it, such as a connection that nobody reads any more. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#controller.abort();
  }
}
