/** Where a pattern stands in a text, and what stands around it. */
import type { SearchPattern } from "./pager-command.ts";

export interface Match {
  /** Counts the matches of the whole text from one. */
  readonly number: number;
  readonly at: number;
  /** Counts lines from one. */
  readonly line: number;
  /** The headings it stands under, outermost first. */
  readonly headings: readonly string[];
}

/** Every match, in order. */
export function* findMatches(text: string, pattern: SearchPattern): Generator<Match> {
  const expression = new RegExp(
    pattern.text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"),
    pattern.ignoresCase ? "gi" : "g",
  );
  const position = new LinePosition(text);
  let number = 0;
  for (const { index } of text.matchAll(expression)) {
    number += 1;
    position.advance(index);
    yield { number, at: index, line: position.line, headings: position.headings };
  }
}

/** The lines around `at`: from the first of them to the end of the last. */
export function linesAround(text: string, at: number, context: number): [number, number] {
  let start = text.lastIndexOf("\n", at - 1) + 1;
  if (at === 0) start = 0;
  for (let count = 0; count < context && start > 0; count++) {
    start = start === 1 ? 0 : text.lastIndexOf("\n", start - 2) + 1;
  }
  let end = at;
  for (let count = 0; count <= context && end < text.length; count++) {
    const feed = text.indexOf("\n", end);
    end = feed === -1 ? text.length : feed + 1;
  }
  return [start, end];
}

/** Counts lines, and remembers headings of Markdown, on the way through a text. */
class LinePosition {
  readonly #text: string;
  #lineStart = 0;
  #depths: readonly number[] = [];
  /** The headings it stands under, outermost first. */
  headings: readonly string[] = [];
  line = 1;

  constructor(text: string) {
    this.#text = text;
  }

  advance(to: number): void {
    for (;;) {
      const feed = this.#text.indexOf("\n", this.#lineStart);
      if (feed === -1 || feed >= to) return;
      this.#readHeading(feed);
      this.#lineStart = feed + 1;
      this.line += 1;
    }
  }

  #readHeading(end: number): void {
    if (this.#text.charAt(this.#lineStart) !== "#") return;
    const line = this.#text.slice(this.#lineStart, Math.min(end, this.#lineStart + 200));
    const [, marks, title = ""] = /^(#{1,6})\s+(.*)$/.exec(line) ?? [];
    if (marks === undefined) return;
    const above = this.#depths.findLastIndex((depth) => depth < marks.length) + 1;
    this.#depths = [...this.#depths.slice(0, above), marks.length];
    this.headings = [...this.headings.slice(0, above), title];
  }
}
