import { LONGEST_TIMER_MS } from "../../session-clock.ts";

/** When something ends by itself; it can be put off as long as it has not. */
export class Lifetime {
  readonly #over: () => void;
  #expiresAt: number | null;
  #timer: NodeJS.Timeout | undefined;

  /** Null: it does not end by itself. */
  constructor(lastsMs: number | null, over: () => void) {
    this.#over = over;
    this.#expiresAt = lastsMs === null ? null : Date.now() + lastsMs;
    this.#wait();
  }

  get expiresAt(): number | null {
    return this.#expiresAt;
  }

  extend(ms: number): void {
    if (this.#expiresAt === null) return;
    this.#expiresAt += ms;
    this.#wait();
  }

  /** Nothing is waited for any more. */
  cancel(): void {
    clearTimeout(this.#timer);
  }

  #wait(): void {
    clearTimeout(this.#timer);
    if (this.#expiresAt === null) return;
    const left = this.#expiresAt - Date.now();
    const act = left > LONGEST_TIMER_MS ? () => this.#wait() : this.#over;
    this.#timer = setTimeout(act, Math.min(Math.max(left, 0), LONGEST_TIMER_MS));
    // It ends with this process anyway.
    this.#timer.unref();
  }
}
