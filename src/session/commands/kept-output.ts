/**
 * The beginning and the end of a stream, however long it was.
 *
 * Bytes are counted and cut, characters are not: where a cut falls into one, it
 * is left out whole.
 */
export interface KeptSizes {
  readonly head: number;
  readonly tail: number;
}

export class KeptOutput {
  readonly #sizes: KeptSizes;
  #head: Buffer[] = [];
  #headSize = 0;
  #tail: Buffer[] = [];
  #tailSize = 0;
  #total = 0;

  constructor(sizes: KeptSizes) {
    this.#sizes = sizes;
  }

  /** All bytes that were seen. */
  get total(): number {
    return this.#total;
  }

  get isCut(): boolean {
    return this.#total > this.#sizes.head + this.#sizes.tail;
  }

  add(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const room = this.#sizes.head - this.#headSize;
    this.#total += bytes.length;
    if (room > 0) {
      this.#head.push(bytes.subarray(0, room));
      this.#headSize += Math.min(room, bytes.length);
      // A piece of one byte takes hundreds of them.
      if (this.#head.length >= MOST_PARTS) this.#head = [Buffer.concat(this.#head)];
    }
    if (bytes.length > room) this.#addToTail(bytes.subarray(Math.max(0, room)));
  }

  /** What is kept; where something is missing, `gap` says so on a line of its own. */
  render(gap: (missing: number) => string): Buffer {
    const head = Buffer.concat(this.#head);
    const tail = Buffer.concat(this.#tail);
    if (!this.isCut) return Buffer.concat([head, tail]);
    const kept = [wholeEnd(head), wholeStart(tail.subarray(-this.#sizes.tail))] as const;
    const missing = this.#total - kept[0].length - kept[1].length;
    return Buffer.concat([kept[0], Buffer.from(`\n${gap(missing)}\n`), kept[1]]);
  }

  #addToTail(bytes: Buffer): void {
    this.#tail.push(bytes);
    this.#tailSize += bytes.length;
    // Now and then, so that neither many small chunks nor one big one cost more than they are.
    if (this.#tailSize < 2 * this.#sizes.tail && this.#tail.length < MOST_PARTS) return;
    const kept = Buffer.concat(this.#tail).subarray(-this.#sizes.tail);
    this.#tail = [Buffer.from(kept)];
    this.#tailSize = kept.length;
  }
}

const MOST_PARTS = 4096;
const LONGEST_CHARACTER = 4;
const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;

/** Without the first bytes of a character whose rest was cut off. */
function wholeEnd(bytes: Buffer): Buffer {
  let back = 1;
  while (back < LONGEST_CHARACTER && isContinuation(bytes.at(-back))) back += 1;
  return lengthAfter(bytes.at(-back) ?? 0) > back ? bytes.subarray(0, -back) : bytes;
}

/** How long a character is that begins with `byte`. */
function lengthAfter(byte: number): number {
  if (byte >= 0xf0) return 4;
  if (byte >= 0xe0) return 3;
  return byte >= 0xc0 ? 2 : 1;
}

/** Without the last bytes of a character whose beginning was cut off. */
function wholeStart(bytes: Buffer): Buffer {
  let start = 0;
  while (start < LONGEST_CHARACTER && isContinuation(bytes[start])) start += 1;
  return bytes.subarray(start);
}
