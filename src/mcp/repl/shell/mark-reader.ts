/**
 * One stream of a shell session: what its cells print, and the marks that its keeper sets in it.
 *
 * The first line is a key. A mark is a NUL, the key, a word, and the end of a line; all else is text,
 * also what only begins like one. Memory is bounded whatever is sent.
 */
const NEWLINE = 0x0a;
const KEY = /^[0-9a-f-]{36}$/;
const KEY_LENGTH = 36;
/** A longer word is none. */
const MOST_WORD_BYTES = 64;

export interface MarkListener {
  text(bytes: Uint8Array): void;
  mark(word: string): void;
  /** It does not begin with a key. Nothing more is read. */
  broke(): void;
}

export class MarkReader {
  readonly #listener: MarkListener;
  #held: Buffer = Buffer.alloc(0);
  #start: Buffer | undefined;
  #isBroken = false;

  constructor(listener: MarkListener) {
    this.#listener = listener;
  }

  read(chunk: Uint8Array): void {
    if (this.#isBroken) return;
    const all = this.#held.length === 0 ? bufferOf(chunk) : Buffer.concat([this.#held, chunk]);
    const rest = this.#start === undefined ? this.#readKey(all) : all;
    this.#held = this.#start === undefined ? rest : Buffer.from(this.#readMarks(rest, this.#start));
  }

  /** What follows the key; all of it where that is not there yet. */
  #readKey(all: Buffer): Buffer {
    if (all.length <= KEY_LENGTH) return Buffer.from(all);
    const key = all.toString("latin1", 0, KEY_LENGTH);
    if (!KEY.test(key) || all[KEY_LENGTH] !== NEWLINE) {
      this.#isBroken = true;
      this.#listener.broke();
      return Buffer.alloc(0);
    }
    this.#start = Buffer.from(`\0${key}:`);
    return all.subarray(KEY_LENGTH + 1);
  }

  /** Gives what may become a mark. */
  #readMarks(all: Buffer, start: Buffer): Buffer {
    let from = 0;
    for (let at = all.indexOf(start); at !== -1; ) {
      const word = at + start.length;
      const end = all.indexOf(NEWLINE, word);
      if (end === -1 && all.length - word <= MOST_WORD_BYTES) return this.#text(all, from, at);
      const isMark = end !== -1 && end - word <= MOST_WORD_BYTES;
      if (isMark) {
        this.#text(all, from, at);
        this.#listener.mark(all.toString("latin1", word, end));
        from = end + 1;
      }
      at = all.indexOf(start, isMark ? from : at + 1);
    }
    return this.#text(all, from, all.length - beginningAtEnd(all.subarray(from), start));
  }

  #text(all: Buffer, from: number, to: number): Buffer {
    if (to > from) this.#listener.text(all.subarray(from, to));
    return all.subarray(to);
  }
}

/** How many bytes at the end may be the beginning of a mark. It has a NUL at its start and no other. */
function beginningAtEnd(all: Buffer, start: Buffer): number {
  const at = all.lastIndexOf(0);
  const length = at === -1 ? 0 : all.length - at;
  return length < start.length &&
    all.subarray(all.length - length).equals(start.subarray(0, length))
    ? length
    : 0;
}

function bufferOf({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}
