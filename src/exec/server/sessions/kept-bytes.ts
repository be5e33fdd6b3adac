/**
 * Bytes that go in the order in which they came, in a few large buffers that are used again.
 *
 * What is read from a process is a buffer of its own each time. Kept until a
 * client confirms it, it would outlive the short time in which dropping it costs
 * nothing, and a process that prints much would keep the collector busy.
 */

/** The first buffer: most processes print little. */
const LEAST = 4 << 10;
const MOST = 1 << 20;
/** How many buffers are kept for what is printed next: a client confirms the content of several at once. */
const SPARES = 8;

interface Block {
  readonly buffer: Buffer;
  used: number;
  /** How many pieces of it are kept. */
  pieces: number;
}

export class KeptBytes {
  #blocks: Block[] = [];
  #spares: Block[] = [];
  #isOver = false;

  /** A copy, which is sound until it is the oldest and dropped. */
  keep(bytes: Uint8Array): Uint8Array {
    const block = this.#blockFor(bytes.length);
    const from = block.used;
    block.buffer.set(bytes, from);
    block.used += bytes.length;
    block.pieces += 1;
    return block.buffer.subarray(from, block.used);
  }

  /** Lets go of the oldest piece. */
  dropOldest(): void {
    const [oldest] = this.#blocks;
    if (oldest === undefined) return;
    oldest.pieces -= 1;
    if (oldest.pieces > 0) return;
    this.#blocks.shift();
    const isOfUse = !this.#isOver && oldest.buffer.length === MOST;
    if (isOfUse && this.#spares.length < SPARES) this.#spares.push(oldest);
  }

  /** Nothing more will be printed. */
  end(): void {
    this.#isOver = true;
    this.#spares = [];
  }

  #blockFor(length: number): Block {
    const newest = this.#blocks.at(-1);
    if (newest !== undefined && newest.buffer.length - newest.used >= length) return newest;
    const block = this.#newBlock(length, newest?.buffer.length ?? 0);
    this.#blocks.push(block);
    return block;
  }

  #newBlock(length: number, before: number): Block {
    const size = Math.max(length, LEAST, Math.min(MOST, 2 * before));
    const spare = size === MOST ? this.#spares.pop() : undefined;
    const buffer = spare?.buffer ?? Buffer.allocUnsafeSlow(size);
    return { buffer, used: 0, pieces: 0 };
  }
}
