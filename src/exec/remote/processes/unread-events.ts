/**
 * The events of one process, in order, for one reader who may be slower than they come.
 *
 * Past `HIGH_WATER_BYTES` the connection is held up where nobody else waits for
 * it, which slows the process itself. Where somebody does, more is taken, and
 * past `MOST_BYTES` adding fails: that reader gets what was taken and then the
 * error. Neither memory nor another process depends on how fast one is read.
 */
import type { ProcessEvent } from "../../process-event.ts";
import { bytesOf } from "../../process-event.ts";
import type { FlowGate } from "../link/flow-gate.ts";
import type { RemoteEvent } from "./remote-event.ts";

/** Finds out whether an exit was a denial, where the server did not say so with it. */
export type WasDenied = (seq: number) => Promise<boolean>;

const HIGH_WATER_BYTES = 1 << 20;
const MOST_BYTES = 64 << 20;

export class UnreadEvents implements AsyncIterable<ProcessEvent> {
  readonly #gate: FlowGate;
  readonly #wasDenied: WasDenied;
  #events: RemoteEvent[] = [];
  #batch: RemoteEvent[] = [];
  #bytes = 0;
  #isLeft = false;
  #failure: Error | undefined;
  #wake: (() => void) | undefined;

  constructor(gate: FlowGate, wasDenied: WasDenied) {
    this.#gate = gate;
    this.#wasDenied = wasDenied;
  }

  /** False when there is no room for it. A reader who has left needs none. */
  add(event: RemoteEvent): boolean {
    if (this.#isLeft || this.#failure !== undefined) return true;
    const bytes = bytesOf(event);
    if (this.#bytes + bytes > MOST_BYTES) return false;
    this.#bytes += bytes;
    this.#events.push(event);
    this.#regulate();
    this.#wake?.();
    return true;
  }

  /** The reader gets what came, and then this. */
  fail(failure: Error): void {
    this.#failure ??= failure;
    this.#gate.setFull(this, false);
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ProcessEvent> {
    try {
      for (let event = await this.#next(); ; event = await this.#next()) {
        yield event.kind === "output" ? event : await this.#told(event);
        this.#given(event);
        if (event.kind === "closed") return;
      }
    } finally {
      this.#leave();
    }
  }

  async #next(): Promise<RemoteEvent> {
    for (;;) {
      const event = this.#batch.pop() ?? this.#take();
      if (event !== undefined) return event;
      if (this.#failure !== undefined) throw this.#failure;
      await this.#more();
    }
  }

  async #told(event: Exclude<RemoteEvent, { kind: "output" }>): Promise<ProcessEvent> {
    const { seq } = event;
    if (event.kind === "closed") return { kind: "closed", seq };
    const { exitCode, sandboxDenied = await this.#wasDenied(seq) } = event.exit;
    return { kind: "exited", seq, exit: { exitCode, sandboxDenied } };
  }

  /** What came since is turned round once, so that each is taken from the end. */
  #take(): RemoteEvent | undefined {
    this.#batch = this.#events.reverse();
    this.#events = [];
    return this.#batch.pop();
  }

  /** Counted when the reader comes back for the next: until then it may still hold it. */
  #given(event: RemoteEvent): void {
    if (event.kind !== "output") return;
    this.#bytes -= bytesOf(event);
    this.#regulate();
  }

  async #more(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const came = this.#gate.need();
    this.#wake = resolve;
    await promise;
    came();
  }

  #leave(): void {
    this.#isLeft = true;
    this.#events = [];
    this.#batch = [];
    this.#bytes = 0;
    this.#regulate();
  }

  #regulate(): void {
    const isOpen = this.#failure === undefined && !this.#isLeft;
    this.#gate.setFull(this, isOpen && this.#bytes > HIGH_WATER_BYTES);
  }
}
