/**
 * The receiving half every transport shares.
 *
 * A paused socket may still hand over what it had already read, so pausing the
 * source is not enough: the inbox holds such messages and delivers them in order
 * on resume. The source is paused as well, from the start until there is a
 * receiver, which bounds what can be held.
 */
import { Fifo } from "./fifo.ts";
import type { CloseReason, Incoming, Receiver } from "./transport.ts";

/** The reading side of whatever the transport reads from. */
export interface Source {
  pause(): void;
  resume(): void;
}

export class Inbox {
  readonly #source: Source;
  readonly #held = new Fifo<Incoming>();
  #receiver: Receiver | undefined;
  #paused = false;
  #ended: CloseReason | undefined;
  #closed = false;

  constructor(source: Source) {
    this.#source = source;
    source.pause();
  }

  get holding(): boolean {
    return this.#paused || this.#receiver === undefined;
  }

  open(receiver: Receiver): void {
    this.#receiver = receiver;
    this.#flush();
    if (!this.#paused) this.#source.resume();
  }

  deliver(incoming: Incoming): void {
    if (this.#closed || this.#ended) return;
    this.#held.push(incoming);
    this.#flush();
  }

  pause(): void {
    if (this.#paused) return;
    this.#paused = true;
    this.#source.pause();
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#flush();
    if (!this.holding) this.#source.resume();
  }

  /** The source has no more; what is held is still delivered, then the receiver is told. */
  end(reason: CloseReason): void {
    this.#ended ??= reason;
    this.#flush();
  }

  /** The connection is gone; what is held is nobody's any more. */
  abort(reason: CloseReason): void {
    this.#held.clear();
    this.#paused = false;
    this.end(reason);
  }

  #flush(): void {
    while (!this.holding && this.#held.size > 0) {
      const next = this.#held.shift();
      if (next) this.#receiver?.message(next);
    }
    if (this.holding || this.#closed || !this.#ended) return;
    this.#closed = true;
    this.#receiver?.closed(this.#ended);
  }
}
