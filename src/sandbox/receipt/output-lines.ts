/**
 * Cuts output into lines with a fixed amount of memory.
 *
 * A line longer than the buffer is dropped whole: its end, where programs put
 * the error, cannot be matched with its beginning. Every byte is looked at once.
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
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (byte !== NEWLINE && byte !== RETURN) continue;
      this.#keep(chunk.subarray(start, at));
      this.finish();
      start = at + 1;
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
