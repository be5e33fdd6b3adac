/**
 * Decides whether a connection is read while some of what it brought is not taken.
 *
 * All processes of a session share one connection. Not reading it is the only
 * way to slow a process that prints faster than its reader takes; but it would
 * also hold up answers and every other process. So the connection is held while
 * somebody's share is full and nobody waits for anything else on it. When
 * somebody does, it is read on, and the full share grows to its last bound.
 */
export class FlowGate {
  readonly #full = new Set<object>();
  #needs = 0;
  #held = false;
  #hold: (held: boolean) => void = () => {};

  /** From now on this connection is meant. */
  use(hold: (held: boolean) => void): void {
    this.#hold = hold;
    this.#held = false;
    this.#regulate();
  }

  /** Whether what a process printed fills its share. */
  setFull(process: object, full: boolean): void {
    if (full) this.#full.add(process);
    else this.#full.delete(process);
    this.#regulate();
  }

  /** Somebody waits for what the connection brings; call the result when it came. */
  need(): () => void {
    this.#needs += 1;
    this.#regulate();
    let done = false;
    return () => {
      if (done) return;
      done = true;
      this.#needs -= 1;
      this.#regulate();
    };
  }

  #regulate(): void {
    const held = this.#full.size > 0 && this.#needs === 0;
    if (held === this.#held) return;
    this.#held = held;
    this.#hold(held);
  }
}
