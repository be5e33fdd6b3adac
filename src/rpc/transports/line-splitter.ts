/**
 * Cuts a stream of bytes into lines.
 *
 * Pieces of an unfinished line are kept as they came and joined once, so a long
 * line costs its length and not its square.
 */
import { markedText } from "./marked-text.ts";
import type { Incoming } from "./transport.ts";

const NEWLINE = 0x0a;

export class LineSplitter {
  readonly #maxBytes: number;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  #pieces: Uint8Array[] = [];
  #held = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The lines `chunk` completes, then `tooLong` if a line is over the limit. */
  *push(chunk: Uint8Array): Generator<Incoming | "tooLong"> {
    let start = 0;
    while (start < chunk.length) {
      const end = chunk.indexOf(NEWLINE, start);
      const piece = chunk.subarray(start, end === -1 ? chunk.length : end);
      if (this.#held + piece.length > this.#maxBytes) {
        yield "tooLong";
        return;
      }
      this.#pieces.push(piece);
      this.#held += piece.length;
      if (end === -1) return;
      yield* this.finish();
      start = end + 1;
    }
  }

  /** The line held so far, if it is not blank: the stream ended without a last newline. */
  *finish(): Generator<Incoming> {
    const [only, ...others] = this.#pieces;
    const bytes = only && others.length === 0 ? only : Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#held = 0;
    const line = this.#decode(bytes);
    if (line.kind === "malformed" || line.text.trim() !== "") yield line;
  }

  #decode(bytes: Uint8Array): Incoming {
    try {
      // JSON allows the carriage return of a CRLF as white space, but a reader of lines should not see it.
      return { kind: "text", text: this.#decoder.decode(bytes).replace(/\r$/, "") };
    } catch {
      return { kind: "malformed", reason: "the line is not UTF-8", marked: markedText(bytes) };
    }
  }
}
