/**
 * What happened to a process, numbered, for one reader who may be slower than the process.
 *
 * What is not taken yet is bounded: past it, whoever produces is asked to stop
 * until the reader has caught up.
 */
import type { ProcessEvent } from "../process-event.ts";

/** An event before it has its number. */
export type Happening = ProcessEvent extends infer E
  ? E extends ProcessEvent
    ? Omit<E, "seq">
    : never
  : never;

/** How many bytes may wait for the reader. */
const HIGH_WATER_BYTES = 1 << 20;

export class EventQueue implements AsyncIterable<ProcessEvent> {
  readonly #hold: (held: boolean) => void;
  #waiting: ProcessEvent[] = [];
  #bytes = 0;
  #seq = 0;
  #held = false;
  #over = false;
  #wake: (() => void) | undefined;

  /** `hold` is told when producing has to stop, and when it may go on. */
  constructor(hold: (held: boolean) => void) {
    this.#hold = hold;
  }

  /** Whether producing has to wait. */
  get isHeld(): boolean {
    return this.#held;
  }

  add(happening: Happening): void {
    this.#seq += 1;
    this.#waiting.push({ ...happening, seq: this.#seq } as ProcessEvent);
    if (happening.kind === "output") this.#bytes += happening.chunk.length;
    if (happening.kind === "closed") this.#over = true;
    this.#regulate();
    this.#wake?.();
  }

  [Symbol.asyncIterator](): AsyncIterator<ProcessEvent> {
    let taken: ProcessEvent[] = [];
    let next = 0;
    // By hand: a generator would wait several times for each event of many.
    return {
      next: async () => {
        for (;;) {
          const value = taken[next++];
          if (value !== undefined) return { done: false, value };
          if (this.#waiting.length === 0) {
            if (this.#over) return { done: true, value: undefined };
            await this.#more();
          }
          [taken, next] = [this.#take(), 0];
        }
      },
    };
  }

  #more(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    return promise;
  }

  #take(): ProcessEvent[] {
    const events = this.#waiting;
    this.#waiting = [];
    this.#bytes = 0;
    this.#regulate();
    return events;
  }

  #regulate(): void {
    const held = this.#bytes >= HIGH_WATER_BYTES;
    if (held === this.#held) return;
    this.#held = held;
    this.#hold(held);
  }
}
