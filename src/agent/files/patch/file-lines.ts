/** Lines come without their ends, which are kept beside them. */
export interface FileLine {
  readonly text: string;
  readonly end: string;
}

/** Who looks longer holds up whatever else is done in this process. A long line counts for several. */
const MOST_COMPARED = 50_000_000;
const CHARACTERS_A_LINE = 64;

const LIKENESS: readonly ((line: string) => string)[] = [
  (line) => line,
  (line) => line.trimEnd(),
  (line) => line.trim(),
];

export interface WhereToLook {
  readonly from: number;
  readonly isAtEnd: boolean;
}

/** The lines of a file, and where others are among them. */
export class FileLines {
  readonly all: readonly FileLine[];
  readonly #alike: readonly (() => readonly string[])[];
  #left = MOST_COMPARED;

  /** A last line without an end gets that of the one before. */
  constructor(text: string) {
    this.all = linesOf(text);
    this.#alike = LIKENESS.map((like) => once(() => this.all.map((line) => like(line.text))));
  }

  /** Where they are for the first time; as they are written, if they are, and never after looking too long. */
  find(wanted: readonly string[], { from, isAtEnd }: WhereToLook): number | "tooLong" | undefined {
    const last = this.all.length - wanted.length;
    const first = isAtEnd ? Math.max(from, last) : from;
    for (const [index, like] of LIKENESS.entries()) {
      const lines = this.#alike[index]?.() ?? [];
      const same = wanted.map(like);
      for (let at = first; at <= last; at += 1) {
        const alike = this.#countAlike(lines, same, at);
        if (alike === same.length) return at;
        if (this.#left <= 0) return "tooLong";
      }
    }
    return undefined;
  }

  #countAlike(lines: readonly string[], same: readonly string[], at: number): number {
    let [count, cost] = [0, 1];
    while (count < same.length && lines[at + count] === same[count]) {
      cost += 1 + (same[count]?.length ?? 0) / CHARACTERS_A_LINE;
      count += 1;
    }
    this.#left -= cost + (same[count]?.length ?? 0) / CHARACTERS_A_LINE;
    return count;
  }
}

const NEWLINE = 0x0a;

/** How many have an end, without the room that it takes to look at them. */
export function countLines(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) === NEWLINE) count += 1;
  return count;
}

function linesOf(text: string): FileLine[] {
  const lines = text.split("\n");
  const last = lines.pop() ?? "";
  const all = lines.map((line) =>
    line.endsWith("\r") ? { text: line.slice(0, -1), end: "\r\n" } : { text: line, end: "\n" },
  );
  if (last !== "") all.push({ text: last, end: all.at(-1)?.end ?? "\n" });
  return all;
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
