/**
 * Bounds how many calls are under way, without changing the order of anything.
 *
 * A call past the bound waits here until another ends, and what is sent after it
 * waits behind it. While there is room, everything passes at once.
 */
import { Fifo } from "../transports/fifo.ts";

/** A call on its way through. */
export interface Visit {
  /** False while it waits. */
  readonly begun: boolean;
  /** Frees its place, or gives up waiting. Called once. */
  leave(): void;
}

interface Waiting {
  readonly send: () => void;
  readonly isCall: boolean;
  state: "waiting" | "begun" | "over";
}

export class Turnstile {
  readonly #limit: number;
  readonly #waiting = new Fifo<Waiting>();
  #underWay = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether nothing waits: what follows would pass at once. */
  get isClear(): boolean {
    return this.#waiting.size === 0;
  }

  /** Runs `send` when fewer calls than the limit are under way, or at once for what is urgent. */
  enter(send: () => void, { urgent = false }: { readonly urgent?: boolean } = {}): Visit {
    const waiting: Waiting = { send, isCall: true, state: "waiting" };
    if (urgent) this.#begin(waiting);
    else this.#add(waiting);
    return {
      get begun() {
        return waiting.state !== "waiting";
      },
      leave: () => {
        if (waiting.state === "begun") this.#underWay -= 1;
        waiting.state = "over";
        this.#admit();
      },
    };
  }

  /** Runs `send` once nothing waits that came before it. */
  follow(send: () => void): void {
    this.#add({ send, isCall: false, state: "waiting" });
  }

  /** No call will ever pass again; what waited behind calls passes now. */
  close(): void {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      if (next.isCall) next.state = "over";
      else next.send();
    }
  }

  #add(waiting: Waiting): void {
    this.#waiting.push(waiting);
    this.#admit();
  }

  #admit(): void {
    for (let next = this.#waiting.first; next && this.#mayPass(next); next = this.#waiting.first) {
      this.#waiting.shift();
      if (next.state !== "over") this.#begin(next);
    }
  }

  #begin(next: Waiting): void {
    if (next.isCall) this.#underWay += 1;
    next.state = "begun";
    next.send();
  }

  #mayPass({ isCall, state }: Waiting): boolean {
    return !isCall || state === "over" || this.#underWay < this.#limit;
  }
}
