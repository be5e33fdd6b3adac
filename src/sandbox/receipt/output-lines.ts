/**
 * Cuts output into lines with a fixed amount of memory.
 *
 * A line longer than the buffer is dropped whole: its end, where programs put
 * the error, cannot be matched with its beginning. No byte is looked at more than twice.
 */

/** The longest line that is read, in bytes. */
export const MAX_LINE = 4096;

const NEWLINE = 0x0a;
/** Progress bars rewrite their line with it. */
const RETURN = 0x0d;

export class OutputLines {
  readonly #buffer = new Uint8Array(MAX_LINE);
  readonly #decoder = new TextDecoder();
  readonly #onLine: (line: string) => void;
  #held = 0;
  #tooLong = false;

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  /** Takes the next bytes and reports every line they complete; blank ones are left out. */
  feed(chunk: Uint8Array): void {
    let start = 0;
    let [newline, back] = [nextIn(chunk, NEWLINE, 0), nextIn(chunk, RETURN, 0)];
    for (let end = Math.min(newline, back); end < chunk.length; end = Math.min(newline, back)) {
      this.#keep(chunk.subarray(start, end));
      this.finish();
      start = end + 1;
      if (newline < start) newline = nextIn(chunk, NEWLINE, start);
      if (back < start) back = nextIn(chunk, RETURN, start);
    }
    this.#keep(chunk.subarray(start));
  }

  /** Reports the line held so far: the stream ended without a newline. */
  finish(): void {
    const whole = this.#held > 0 && !this.#tooLong;
    const line = whole ? this.#decoder.decode(this.#buffer.subarray(0, this.#held)) : "";
    this.#held = 0;
    this.#tooLong = false;
    if (line !== "") this.#onLine(line);
  }

  #keep(piece: Uint8Array): void {
    if (this.#held + piece.length > MAX_LINE) {
      this.#tooLong = true;
      return;
    }
    this.#buffer.set(piece, this.#held);
    this.#held += piece.length;
  }
}

/** The end of the chunk where there is none. Found by the engine: a loop over all bytes takes ten times as long. */
function nextIn(chunk: Uint8Array, byte: number, from: number): number {
  const found = chunk.indexOf(byte, from);
  return found === -1 ? chunk.length : found;
}
