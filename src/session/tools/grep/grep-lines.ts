/**
 * What grep prints, line by line, within limits.
 *
 * Each line is `path`, a zero byte, the number, `:` or `-`, and the text; `--`
 * stands between groups. Of a long line only the beginning is kept while it is read.
 */
export interface GrepLine {
  readonly path: string;
  readonly line: number;
  readonly kind: "match" | "context";
  readonly text: string;
  /** The text goes on. */
  readonly isCut: boolean;
}

const LONGEST_TEXT = 500;
/** A path, a number and what is shown of the text in bytes. */
const KEPT_BYTES = 4096 + 32 + 4 * LONGEST_TEXT;
const NEW_LINE = 0x0a;
const BETWEEN_GROUPS = "--";

export class GrepLines {
  readonly #limit: number;
  readonly #lines: GrepLine[] = [];
  #part: Buffer = Buffer.alloc(0);
  #isPartCut = false;
  #begun = "";
  #matches = 0;
  #isFull = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get lines(): readonly GrepLine[] {
    return this.#lines;
  }

  /** There is a match more than wanted. */
  get isFull(): boolean {
    return this.#isFull;
  }

  add(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    for (let from = 0; from < bytes.length && !this.#isFull; ) {
      const end = bytes.indexOf(NEW_LINE, from);
      this.#extend(bytes.subarray(from, end < 0 ? bytes.length : end));
      if (end < 0) return;
      this.end();
      from = end + 1;
    }
  }

  /** Takes what is left as a line. */
  end(): void {
    const text = this.#part.toString();
    const isCut = this.#isPartCut;
    this.#part = Buffer.alloc(0);
    this.#isPartCut = false;
    const line = lineOf(this.#begun + text, isCut);
    // A path may have line ends in it; then the zero byte comes later.
    this.#begun = line === undefined && text !== BETWEEN_GROUPS ? `${this.#begun}${text}\n` : "";
    this.#begun = this.#begun.slice(-KEPT_BYTES);
    if (line === undefined) return;
    if (line.kind === "match") this.#matches += 1;
    this.#isFull = this.#matches > this.#limit;
    if (!this.#isFull) this.#lines.push(line);
  }

  #extend(bytes: Buffer): void {
    const room = KEPT_BYTES - this.#part.length;
    if (bytes.length > room) this.#isPartCut = true;
    if (room > 0) this.#part = Buffer.concat([this.#part, bytes.subarray(0, room)]);
  }
}

function lineOf(raw: string, isPartCut: boolean): GrepLine | undefined {
  const [, path, number, sign, rest = ""] = /^([^\0]*)\0(\d+)([:-])(.*)$/s.exec(raw) ?? [];
  if (path === undefined) return undefined;
  return {
    path: path.replace(/^\.\//, ""),
    line: Number(number),
    kind: sign === ":" ? "match" : "context",
    text: rest.slice(0, LONGEST_TEXT).toWellFormed(),
    isCut: isPartCut || rest.length > LONGEST_TEXT,
  };
}
