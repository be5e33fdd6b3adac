/** How much may wait before the connection is no longer read. */
export interface IntakeLimits {
  /** Most calls that wait, and most characters they may hold together. */
  readonly maxQueued: number;
  readonly maxQueuedLength: number;
  /**
   * The same while something behind them must be read all the same: an answer
   * that a handler waits for, or a call of the control lane.
   */
  readonly maxQueuedUrgent: number;
  readonly maxQueuedLengthUrgent: number;
}

export const INTAKE_LIMITS: IntakeLimits = {
  maxQueued: 128,
  maxQueuedLength: 64 * 1024 * 1024,
  maxQueuedUrgent: 8192,
  maxQueuedLengthUrgent: 256 * 1024 * 1024,
};

export interface Urgency {
  readonly awaitsAnswer: boolean;
  readonly hasControlLane: boolean;
}

/**
 * Decides whether to go on reading.
 *
 * Not reading is how a flood is slowed without dropping anything. But a peer that
 * waits for an answer and does not read would wait for ever, so there it reads on
 * up to a larger bound, and past it gives the connection up (`overrun`).
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

  verdict({ awaitsAnswer, hasControlLane }: Urgency): "read" | "pause" | "overrun" {
    const limits = this.#limits;
    if (!this.#over(limits.maxQueued, limits.maxQueuedLength)) return "read";
    if (!awaitsAnswer && !hasControlLane) return "pause";
    if (!this.#over(limits.maxQueuedUrgent, limits.maxQueuedLengthUrgent)) return "read";
    return awaitsAnswer ? "overrun" : "pause";
  }

  #over(queued: number, length: number): boolean {
    return this.#queued >= queued || this.#length >= length;
  }
}
