const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** Cuts bytes into lines at newlines alone: what is one line to a shell is one here, and is not decoded before it is whole. */
export class ByteLines {
  #pieces: Uint8Array[] = [];

  /** The lines that `chunk` completes, without their ends. */
  push(chunk: Uint8Array): Buffer[] {
    const lines: Buffer[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#pieces.push(chunk.subarray(start, end));
      lines.push(this.#line());
      start = end + 1;
    }
    if (start < chunk.length) this.#pieces.push(chunk.subarray(start));
    return lines;
  }

  /** The last line, where it was begun and has no end. */
  finish(): Buffer[] {
    return this.#pieces.length === 0 ? [] : [this.#line()];
  }

  #line(): Buffer {
    const line = Buffer.concat(this.#pieces);
    this.#pieces = [];
    return line.at(-1) === RETURN ? line.subarray(0, -1) : line;
  }
}
