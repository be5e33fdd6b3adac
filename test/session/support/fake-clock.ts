import type { SessionClock } from "../../../src/session/session-clock.ts";

/** Time that passes when a test says so. */
export class FakeClock implements SessionClock {
  #now = 1000;
  #timers: { at: number; call: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  after(ms: number, call: () => void): () => void {
    const timer = { at: this.#now + ms, call };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((one) => one !== timer);
    };
  }

  get waiting(): number {
    return this.#timers.length;
  }

  /** Lets everything that can happen happen, then time pass up to `ms`, timer by timer. */
  async pass(ms: number): Promise<void> {
    const until = this.#now + ms;
    for (;;) {
      await settle();
      const next = this.#timers.sort((a, b) => a.at - b.at)[0];
      if (next === undefined || next.at > until) break;
      this.#timers.shift();
      this.#now = next.at;
      next.call();
    }
    this.#now = until;
    await settle();
  }
}

/** Until nothing is left to do without new input. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((done) => setImmediate(done));
}
