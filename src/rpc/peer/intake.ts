/** How much may wait before the connection is no longer read. */
export interface IntakeLimits {
  /** Most calls that wait, and most characters they may hold together. */
  readonly maxQueued: number;
  readonly maxQueuedLength: number;
  /**
   * Most calls that wait while something behind them must be read all the same: an
   * answer that a handler waits for, or a call of the control lane. Further requests
   * are refused. Calls of the control lane have as much room again.
   */
  readonly maxQueuedUrgent: number;
  /** Most characters that wait while reading must go on, a small amount for each message included. */
  readonly maxQueuedLengthUrgent: number;
}

export const INTAKE_LIMITS: IntakeLimits = {
  maxQueued: 128,
  maxQueuedLength: 64 * 1024 * 1024,
  maxQueuedUrgent: 8192,
  maxQueuedLengthUrgent: 256 * 1024 * 1024,
};

/** What a message costs beside its characters. */
const LENGTH_OF_ITS_OWN = 1024;

export interface Urgency {
  /** Something that never waits may come: an answer, or a call of the control lane. */
  readonly mustRead: boolean;
  /** The other side does not take what it is sent; it may be waiting for this side to read. */
  readonly sendingStalls: boolean;
}

/**
 * Counts what waits and decides whether to go on reading.
 *
 * Not reading is how a flood is slowed without dropping anything. But a peer that
 * waits for an answer and does not read would wait for ever, and so would two that
 * both wait to send. There it reads on, and past the larger bounds refuses requests.
 */
export class Intake {
  readonly #limits: IntakeLimits;
  #queued = 0;
  #length = 0;

  constructor(limits: IntakeLimits) {
    this.#limits = limits;
  }

  add(length: number): void {
    this.#queued += 1;
    this.#length += length;
  }

  remove(length: number): void {
    this.#queued -= 1;
    this.#length -= length;
  }

  /** Whether one more request may wait while reading must go on. */
  hasRoomFor(lane: "ordinary" | "control"): boolean {
    const times = lane === "control" ? 2 : 1;
    return this.#queued < this.#limits.maxQueuedUrgent * times && this.#fits(times);
  }

  /** Whether one more of what cannot be refused may wait. */
  get hasRoom(): boolean {
    return this.#fits(1);
  }

  reads({ mustRead, sendingStalls }: Urgency): boolean {
    const { maxQueued, maxQueuedLength } = this.#limits;
    if (mustRead || !this.#over(maxQueued, maxQueuedLength)) return true;
    return sendingStalls && this.hasRoom;
  }

  #fits(times: number): boolean {
    const held = this.#length + this.#queued * LENGTH_OF_ITS_OWN;
    return held < this.#limits.maxQueuedLengthUrgent * times;
  }

  #over(queued: number, length: number): boolean {
    return this.#queued >= queued || this.#length >= length;
  }
}
