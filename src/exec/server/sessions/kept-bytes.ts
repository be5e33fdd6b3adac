/**
 * Bytes that go in the order in which they came, in a few large buffers that are used again.
 *
 * What is read from a process is lent. A buffer for each piece of it, kept until a
 * client confirms it, would outlive the short time in which dropping it costs
 * nothing, and a process that prints much would keep the collector busy. What is
 * free is there for the next one that prints, whichever that is.
 */

/** The first buffer: most processes print little. */
const LEAST = 4 << 10;
const MOST = 1 << 20;
/** How many free ones there are at most: a client confirms the content of several at once. */
const MOST_FREE = 8;

const free: Buffer[] = [];

function giveBack({ buffer }: Block): void {
  if (buffer.length === MOST && free.length < MOST_FREE) free.push(buffer);
}

interface Block {
  readonly buffer: Buffer;
  used: number;
  /** How many pieces of it are kept. */
  pieces: number;
}

export class KeptBytes {
  #blocks: Block[] = [];

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
    giveBack(oldest);
  }

  /** Lets go of all of them. */
  dropAll(): void {
    for (const block of this.#blocks.splice(0)) giveBack(block);
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
    const used = size === MOST ? free.pop() : undefined;
    return { buffer: used ?? Buffer.allocUnsafeSlow(size), used: 0, pieces: 0 };
  }
}
