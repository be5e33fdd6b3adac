/** Where a pattern stands in a text, and what stands around it. */
import { isSplit } from "./page-place.ts";
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

/**
 * The lines around `at`: from the first of them to the end of the last. No more than `most`
 * characters on either side: a line that goes on there is cut if it is that of `at`, else left out.
 */
export function linesAround(
  text: string,
  at: number,
  { context, most }: { readonly context: number; readonly most: number },
): [number, number] {
  const first = wholeAt(text, Math.max(0, at - most));
  const last = wholeAt(text, Math.min(text.length, at + most));
  const before = text.slice(first, at).split("\n");
  if (first > 0 && before.length > 1) before.shift();
  const after = text.slice(at, last).split("\n");
  if (last < text.length && after.length > 1) after.pop();
  const start = at - before.slice(-context - 1).join("\n").length;
  const end = at + after.slice(0, context + 1).join("\n").length;
  return [start, text.charAt(end) === "\n" ? end + 1 : end];
}

/** `at`, or the beginning of the character that it lies in. */
function wholeAt(text: string, at: number): number {
  return isSplit(text, at) ? at - 1 : at;
}

/** Counts lines, and remembers headings of Markdown, on the way through a text. */
class LinePosition {
  readonly #text: string;
  #lineStart = 0;
  /** Looked for once in a line, however many matches are in it. */
  #lineEnd: number;
  #depths: readonly number[] = [];
  /** The headings it stands under, outermost first. */
  headings: readonly string[] = [];
  line = 1;

  constructor(text: string) {
    this.#text = text;
    this.#lineEnd = this.#endOfLine();
  }

  advance(to: number): void {
    while (this.#lineEnd < to) {
      this.#readHeading(this.#lineEnd);
      this.#lineStart = this.#lineEnd + 1;
      this.#lineEnd = this.#endOfLine();
      this.line += 1;
    }
  }

  #endOfLine(): number {
    const feed = this.#text.indexOf("\n", this.#lineStart);
    return feed === -1 ? this.#text.length : feed;
  }

  #readHeading(end: number): void {
    if (this.#text.charAt(this.#lineStart) !== "#") return;
    const line = this.#text.slice(this.#lineStart, Math.min(end, this.#lineStart + 200));
    const [, marks, title = ""] = /^(#{1,6})\s+(.*)$/.exec(line.toWellFormed()) ?? [];
    if (marks === undefined) return;
    const above = this.#depths.findLastIndex((depth) => depth < marks.length) + 1;
    this.#depths = [...this.#depths.slice(0, above), marks.length];
    this.headings = [...this.headings.slice(0, above), title];
  }
}
