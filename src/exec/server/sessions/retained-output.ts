/**
 * What is kept of a process for a client that has to ask again.
 *
 * The newest is always kept, up to a bound. Beyond it, nothing goes that a
 * client may not have: what was sent but not confirmed is kept as well, up to
 * what can be on its way at all.
 */
import type { OutputStream, ProcessEvent, ProcessExit } from "../../process-event.ts";
import { MOST_READ_CHUNKS } from "../../protocol/most-read-chunks.ts";
import { KeptBytes } from "./kept-bytes.ts";

export interface RetentionLimits {
  readonly bytes: number;
  readonly chunks: number;
  /** More cannot be on its way: the buffers of two hosts are smaller. */
  readonly inFlightBytes: number;
  /** The same for small ones: each is a message of its own, and takes far more room here. */
  readonly inFlightChunks: number;
  /** What is given at a time. */
  readonly readChunks: number;
}

export const RETENTION: RetentionLimits = {
  bytes: 1 << 20,
  chunks: 50_000,
  inFlightBytes: 32 << 20,
  inFlightChunks: (32 << 20) / 64,
  readChunks: MOST_READ_CHUNKS,
};

export interface RetainedChunk {
  readonly seq: number;
  readonly stream: OutputStream;
  readonly chunk: Uint8Array;
}

export class RetainedOutput {
  readonly #limits: RetentionLimits;
  readonly #kept = new KeptBytes();
  #chunks: RetainedChunk[] = [];
  /** The first of them that is still kept: moving all of them for each that goes would take too long. */
  #first = 0;
  #bytes = 0;
  #confirmed = 0;
  #nextSeq = 1;
  #exit: (ProcessExit & { readonly seq: number }) | undefined;
  #isClosed = false;

  constructor(limits: RetentionLimits = RETENTION) {
    this.#limits = limits;
  }

  get nextSeq(): number {
    return this.#nextSeq;
  }

  get exit(): (ProcessExit & { readonly seq: number }) | undefined {
    return this.#exit;
  }

  /** The client has everything up to this number. */
  get confirmed(): number {
    return this.#confirmed;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Whether what nobody has confirmed fills the room: more would push out what a client may lack. */
  get isFull(): boolean {
    const { bytes, chunks } = this.#limits;
    const oldest = this.#chunks[this.#first];
    if (oldest === undefined || oldest.seq <= this.#confirmed) return false;
    return this.#bytes >= bytes || this.#chunks.length - this.#first >= chunks;
  }

  add(event: ProcessEvent): void {
    this.#nextSeq = event.seq + 1;
    if (event.kind === "exited") this.#exit = { ...event.exit, seq: event.seq };
    if (event.kind === "closed") this.#close();
    if (event.kind !== "output") return;
    const { seq, stream } = event;
    this.#chunks.push({ seq, stream, chunk: this.#kept.keep(event.chunk) });
    this.#bytes += event.chunk.length;
    this.#evict();
  }

  /** The client has everything up to this number. */
  confirm(seq: number): void {
    const before = this.#bytes;
    this.#confirmed = Math.max(this.#confirmed, seq);
    this.#evict();
    if (this.#isClosed && this.#bytes < before) this.#pack();
  }

  /**
   * What is kept after a number, as far as one answer holds it; at least one chunk if there is one,
   * however few bytes are wanted. Its bytes are to be read at once: where one of them goes, others take
   * its place.
   */
  after(seq: number, maxBytes: number): RetainedChunk[] {
    const taken: RetainedChunk[] = [];
    let bytes = 0;
    const from = this.#indexAfter(seq);
    const end = Math.min(this.#chunks.length, from + this.#limits.readChunks);
    for (let index = from; index < end; index += 1) {
      const one = this.#chunks[index];
      if (one === undefined) break;
      bytes += one.chunk.length;
      if (taken.length > 0 && bytes > maxBytes) break;
      taken.push(one);
    }
    return taken;
  }

  has(seq: number): boolean {
    return this.#indexAfter(seq) < this.#chunks.length;
  }

  /** Numbers grow, so half of what is left can be ruled out each time. */
  #indexAfter(seq: number): number {
    let [low, high] = [this.#first, this.#chunks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#chunks[middle]?.seq ?? 0) > seq) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #close(): void {
    this.#isClosed = true;
    this.#pack();
    this.#kept.dropAll();
  }

  /** Many that are over are remembered for a while: each takes no more room than it has bytes. */
  #pack(): void {
    const all = Buffer.allocUnsafeSlow(this.#bytes);
    let end = 0;
    this.#chunks = this.#chunks.slice(this.#first).map(({ chunk, ...one }) => {
      all.set(chunk, end);
      end += chunk.length;
      return { ...one, chunk: all.subarray(end - chunk.length, end) };
    });
    this.#first = 0;
  }

  #evict(): void {
    const { bytes, chunks, inFlightBytes, inFlightChunks } = this.#limits;
    for (;;) {
      const oldest = this.#chunks[this.#first];
      const count = this.#chunks.length - this.#first;
      if (oldest === undefined || count <= 1) break;
      const tooMuch = this.#bytes > bytes || count > chunks;
      const mayBeOnItsWay = this.#bytes <= inFlightBytes && count <= inFlightChunks;
      if (!tooMuch || (oldest.seq > this.#confirmed && mayBeOnItsWay)) break;
      this.#bytes -= oldest.chunk.length;
      this.#kept.dropOldest();
      this.#first += 1;
    }
    if (this.#first > 1024 && this.#first * 2 > this.#chunks.length) {
      this.#chunks = this.#chunks.slice(this.#first);
      this.#first = 0;
    }
  }
}
