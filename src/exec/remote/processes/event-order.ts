/**
 * Puts the events of one process in the order of their numbers.
 *
 * What came before is passed over; what is early waits for what is missing. Of
 * what is early only the latest is kept: whoever asks for what is missing gets
 * everything up to the present with it.
 */
import { bytesOf } from "../../process-event.ts";
import type { RemoteEvent } from "./remote-event.ts";

const MOST_EARLY = 256;
const MOST_EARLY_BYTES = 1 << 20;

export class EventOrder {
  readonly #early = new Map<number, RemoteEvent>();
  #earlyBytes = 0;
  #lastSeq = 0;
  #hasExit = false;

  /** Everything up to this number was given out. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** Something early waits for something that has not come. */
  get hasGap(): boolean {
    return this.#early.size > 0;
  }

  /** The exit was given out. */
  get hasExit(): boolean {
    return this.#hasExit;
  }

  /** Takes an event; gives out all that is next. `overfull` when something early had to go for it. */
  add(event: RemoteEvent): RemoteEvent[] | "overfull" {
    if (event.seq <= this.#lastSeq || this.#early.has(event.seq)) return [];
    if (event.seq > this.#lastSeq + 1) return this.#keep(event);
    const ready: RemoteEvent[] = [];
    for (let next: RemoteEvent | undefined = event; next !== undefined; ) {
      ready.push(this.#pass(next));
      next = this.#take(this.#lastSeq + 1);
    }
    return ready;
  }

  #pass(event: RemoteEvent): RemoteEvent {
    this.#lastSeq = event.seq;
    if (event.kind === "exited") this.#hasExit = true;
    this.#take(event.seq);
    return event;
  }

  #take(seq: number): RemoteEvent | undefined {
    const event = this.#early.get(seq);
    if (event === undefined) return undefined;
    this.#early.delete(seq);
    this.#earlyBytes -= bytesOf(event);
    return event;
  }

  #keep(event: RemoteEvent): [] | "overfull" {
    this.#early.set(event.seq, event);
    this.#earlyBytes += bytesOf(event);
    let overfull = false;
    while (this.#early.size > MOST_EARLY || this.#earlyBytes > MOST_EARLY_BYTES) {
      this.#take(Math.min(...this.#early.keys()));
      overfull = true;
    }
    return overfull ? "overfull" : [];
  }
}
