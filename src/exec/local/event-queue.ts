/**
 * What happened to a process, numbered, for one reader who may be slower than the process.
 *
 * What is not taken yet is bounded: past it, whoever produces is asked to stop
 * until the reader has caught up.
 */
import { ownedOf } from "../../sandbox/index.ts";
import { bytesOf, type ProcessEvent } from "../process-event.ts";

/** An event before it has its number. */
export type Happening = ProcessEvent extends infer E
  ? E extends ProcessEvent
    ? Omit<E, "seq">
    : never
  : never;

/** How many bytes may wait for the reader. */
const HIGH_WATER_BYTES = 1 << 20;

/** Nothing to wait for where an event was taken at once. */
type Take = (event: ProcessEvent) => Promise<void> | undefined;

interface Follower {
  readonly take: Take;
  /** Settles as what is waited for does. */
  readonly wait: (taken?: Promise<void>) => void;
}

export class EventQueue implements AsyncIterable<ProcessEvent> {
  readonly #hold: (held: boolean) => void;
  #waiting: ProcessEvent[] = [];
  #bytes = 0;
  #seq = 0;
  #held = false;
  #over = false;
  #wake: (() => void) | undefined;
  /** Takes events as they happen, while it waits for nothing. */
  #follower: Follower | undefined;

  /** `hold` is told when producing has to stop, and when it may go on. */
  constructor(hold: (held: boolean) => void) {
    this.#hold = hold;
  }

  /** Whether producing has to wait. */
  get isHeld(): boolean {
    return this.#held;
  }

  /** True where the bytes of output are kept; others may be used again when this returns. */
  add(happening: Happening): boolean {
    this.#seq += 1;
    const event = { ...happening, seq: this.#seq } as ProcessEvent;
    if (event.kind === "closed") this.#over = true;
    if (this.#follower === undefined) return this.#keep(event);
    this.#hand(event, this.#follower);
    return false;
  }

  /** Hands over all events, as they happen where none has to wait; then the bytes of output are lent. */
  async follow(take: Take): Promise<void> {
    for (;;) {
      for (const event of this.#take()) await take(event);
      if (this.#waiting.length > 0) continue;
      if (this.#over) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#follower = { take, wait: resolve };
      await promise;
    }
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

  #keep(event: ProcessEvent): boolean {
    const kept = event.kind === "output" ? { ...event, chunk: ownedOf(event.chunk) } : event;
    this.#waiting.push(kept);
    this.#bytes += bytesOf(kept);
    this.#regulate();
    this.#wake?.();
    return event.kind === "output" && kept.kind === "output" && kept.chunk === event.chunk;
  }

  #hand(event: ProcessEvent, { take, wait }: Follower): void {
    const taken = attempt(() => take(event));
    if (taken === undefined && !this.#over) return;
    this.#follower = undefined;
    wait(taken);
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

/** Whoever follows is told of what it throws, not whoever produces. */
function attempt(take: () => Promise<void> | undefined): Promise<void> | undefined {
  try {
    return take();
  } catch (error) {
    return Promise.reject(error);
  }
}

/** Hands over what happens to a process; what is lent is to be copied. */
export async function followEvents(events: AsyncIterable<ProcessEvent>, take: Take): Promise<void> {
  if (events instanceof EventQueue) return events.follow(take);
  for await (const event of events) await take(event);
}
