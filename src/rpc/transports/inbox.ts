/**
 * The receiving half every transport shares.
 *
 * A paused socket may still hand over what it had already read, so pausing the
 * source is not enough: the inbox holds such messages and delivers them in order
 * on resume. The source is paused as well, from the start until there is a
 * receiver, and once some is held, which bounds that. Not before: a source that is
 * not read does not say that the other side is gone.
 */
import { Fifo } from "./fifo.ts";
import type { CloseReason, Incoming, Receiver } from "./transport.ts";

/** The reading side of whatever the transport reads from. */
export interface Source {
  pause(): void;
  resume(): void;
}

/** How much may be held, in characters and some for each message, before the source is held as well. */
const MOST_HELD = 256 << 10;
const LENGTH_OF_ITS_OWN = 1024;

export class Inbox {
  readonly #source: Source;
  readonly #held = new Fifo<Incoming>();
  #receiver: Receiver | undefined;
  #heldLength = 0;
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
    this.#heldLength += lengthOf(incoming);
    this.#flush();
    if (this.#paused) this.#holdSource();
  }

  pause(): void {
    if (this.#paused) return;
    this.#paused = true;
    this.#holdSource();
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
    if (this.#paused && !this.#closed) this.#receiver?.ending?.();
  }

  /** The connection is gone; what is held is nobody's any more. */
  abort(reason: CloseReason): void {
    this.#held.clear();
    this.#heldLength = 0;
    this.#paused = false;
    this.end(reason);
  }

  #holdSource(): void {
    if (this.#heldLength > MOST_HELD) this.#source.pause();
  }

  #flush(): void {
    while (!this.holding && this.#held.size > 0) {
      const next = this.#held.shift();
      if (next === undefined) continue;
      this.#heldLength -= lengthOf(next);
      this.#receiver?.message(next);
    }
    if (this.holding || this.#closed || !this.#ended) return;
    this.#closed = true;
    this.#receiver?.closed(this.#ended);
  }
}

function lengthOf(incoming: Incoming): number {
  return LENGTH_OF_ITS_OWN + (incoming.kind === "text" ? incoming.text.length : 0);
}
