/**
 * What a session is busy with: calls that wait or run, and processes in the background.
 *
 * While there is any, the sandbox is neither idle nor left to run out of time.
 */
import type { SessionClock } from "../session-clock.ts";

export interface LiveWorkOptions {
  readonly clock: SessionClock;
  /** Calls `onIdle` after so long without work; 0 is never. */
  readonly idleMs: number;
  readonly onQuiet: () => void;
  readonly onIdle: () => void;
  /** Calls `onBeat` each time that much has passed with work; 0 is never. */
  readonly beatMs: number;
  readonly onBeat: () => void;
}

export type WorkKind = "call" | "background";

/** How much there is of each kind. */
export type WorkCount = Readonly<Record<WorkKind, number>>;

export class LiveWork {
  readonly #options: LiveWorkOptions;
  readonly #count: Record<WorkKind, number> = { call: 0, background: 0 };
  #cancelIdle: (() => void) | undefined;
  #cancelBeat: (() => void) | undefined;
  #isClosed = false;

  constructor(options: LiveWorkOptions) {
    this.#options = options;
  }

  get count(): WorkCount {
    return { ...this.#count };
  }

  /** Counts a piece of work; returns how to stop counting it. */
  begin(kind: WorkKind): () => void {
    let isOver = false;
    this.#count[kind] += 1;
    this.#cancelIdle?.();
    this.#cancelIdle = undefined;
    this.#beat();
    return () => {
      if (isOver) return;
      isOver = true;
      this.#count[kind] -= 1;
      if (this.#isQuiet) this.#rest();
    };
  }

  /** Stops all timers until there is work again. */
  halt(): void {
    this.#cancelIdle?.();
    this.#cancelBeat?.();
    this.#cancelIdle = undefined;
    this.#cancelBeat = undefined;
  }

  /** Stops all timers for good. */
  close(): void {
    this.#isClosed = true;
    this.halt();
  }

  get #isQuiet(): boolean {
    return this.#count.call + this.#count.background === 0;
  }

  #rest(): void {
    const { clock, idleMs, onQuiet, onIdle } = this.#options;
    this.halt();
    onQuiet();
    if (idleMs > 0 && !this.#isClosed) this.#cancelIdle = clock.after(idleMs, onIdle);
  }

  #beat(): void {
    const { clock, beatMs, onBeat } = this.#options;
    if (beatMs === 0 || this.#isClosed) return;
    this.#cancelBeat ??= clock.after(beatMs, () => {
      this.#cancelBeat = undefined;
      onBeat();
      if (!this.#isQuiet) this.#beat();
    });
  }
}
