/**
 * The bytes of a text that was sent as bytes.
 *
 * Its line feeds come as another character, which such a text does not have: the receipt of a process
 * looks through the lines that it prints for what it was denied, and a session prints no lines of its
 * own there, whatever its cells print. Four bytes are looked at at once, since there may be very many.
 */
const FEED = 0x1f;
const FEEDS = 0x1f1f1f1f;
/** What makes one of the other. */
const CHANGE = FEED ^ 0x0a;
const LOW_BITS = 0x7f7f7f7f;
const WORD_BYTES = 4;

export class FrameBytes {
  #words = new Int32Array(0);

  /** The bytes with their line feeds. They are good until the next call. */
  restore(sent: Uint8Array): Uint8Array {
    const count = Math.ceil(sent.length / WORD_BYTES);
    if (this.#words.length < count) this.#words = new Int32Array(count);
    const bytes = new Uint8Array(this.#words.buffer, 0, sent.length);
    bytes.set(sent);
    restoreWords(this.#words, count);
    return bytes;
  }
}

function restoreWords(words: Int32Array, count: number): void {
  for (let at = 0; at < count; at += 1) {
    const word = words[at] ?? 0;
    const other = word ^ FEEDS;
    // The high bit of each byte that is one of them, and no other bit.
    const found = ~(((other & LOW_BITS) + LOW_BITS) | other | LOW_BITS);
    if (found !== 0) words[at] = word ^ ((found >>> 7) * CHANGE);
  }
}
