/** Shows changes of a text as a diff with little around them. Pure. */
import type { Change } from "./apply-edits.ts";

const CONTEXT = 2;
const MOST_LINES = 200;
const LONGEST_LINE = 300;
const NEW_LINE = 0x0a;

/** Lines that changed together, counted from 0. */
interface Hunk {
  readonly first: number;
  readonly last: number;
  /** Where the first begins and the last ends. */
  readonly from: number;
  readonly to: number;
  readonly changes: readonly Change[];
}

/** The lines that go and come, with two around each place; long ones are cut and say so. */
export function compactDiff(original: string, changes: readonly Change[]): string {
  let moved = 0;
  const lines = hunksOf(original, changes).flatMap((hunk) => {
    const { text, grown } = render(original, hunk, moved);
    moved += grown;
    return text;
  });
  if (lines.length <= MOST_LINES) return lines.join("\n");
  const left = lines.length - MOST_LINES;
  return [...lines.slice(0, MOST_LINES), `[${left} lines of the diff left out]`].join("\n");
}

/** Counts the lines before places that only grow: a text may have more than there is room for. */
function lineCount(text: string): (place: number) => number {
  let [at, lines] = [0, 0];
  return (place) => {
    for (; at < place; at += 1) if (text.charCodeAt(at) === NEW_LINE) lines += 1;
    return lines;
  };
}

function hunksOf(original: string, changes: readonly Change[]): Hunk[] {
  const hunks: Hunk[] = [];
  const lineOf = lineCount(original);
  for (const change of changes) {
    const first = lineOf(change.start);
    const last = lineOf(change.end);
    const to = lineEnd(original, change.end);
    const before = hunks.at(-1);
    if (before && first - before.last <= 2 * CONTEXT) {
      hunks[hunks.length - 1] = { ...before, last, to, changes: [...before.changes, change] };
    } else {
      const from = original.lastIndexOf("\n", change.start - 1) + 1;
      hunks.push({ first, last, from: change.start === 0 ? 0 : from, to, changes: [change] });
    }
  }
  return hunks;
}

/** Where the line ends that a place is in. */
function lineEnd(text: string, place: number): number {
  return text.indexOf("\n", place) + 1 || text.length;
}

/** `moved` says how many lines came before, less those that went. */
function render(original: string, hunk: Hunk, moved: number) {
  const { first, from, to } = hunk;
  const gone = linesOf(original.slice(from, to));
  const come = linesOf(replaced(original, hunk.changes, { from, to }));
  const head = commonStart(gone, come);
  const tail = commonStart(gone.slice(head).reverse(), come.slice(head).reverse());
  const line = first + head;
  const start = from + lengthOf(gone.slice(0, head));
  const end = to - lengthOf(gone.slice(gone.length - tail));
  const text = [
    `@@ -${line + 1} +${line + 1 + moved} @@`,
    ...linesBefore(original, start).map((one) => shown(" ", one)),
    ...gone.slice(head, gone.length - tail).map((one) => shown("-", one)),
    ...come.slice(head, come.length - tail).map((one) => shown("+", one)),
    ...linesAfter(original, end).map((one) => shown(" ", one)),
  ];
  return { text, grown: come.length - gone.length };
}

function lengthOf(lines: readonly string[]): number {
  return lines.reduce((length, line) => length + line.length, 0);
}

/** The lines around the one that begins at `place`, as many as are shown. */
function linesBefore(text: string, place: number): string[] {
  let start = place;
  // In front of the line end that stands before it.
  for (let line = 0; line < CONTEXT; line += 1) {
    start = start < 2 ? 0 : text.lastIndexOf("\n", start - 2) + 1;
  }
  return linesOf(text.slice(start, place));
}

function linesAfter(text: string, place: number): string[] {
  let end = place;
  for (let line = 0; line < CONTEXT; line += 1) end = lineEnd(text, end);
  return linesOf(text.slice(place, end));
}

function replaced(
  original: string,
  changes: readonly Change[],
  { from, to }: { readonly from: number; readonly to: number },
): string {
  let at = from;
  let text = "";
  for (const { start, end, replacement } of changes) {
    text += original.slice(at, start) + replacement;
    at = end;
  }
  return text + original.slice(at, to);
}

function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function commonStart(one: readonly string[], other: readonly string[]): number {
  const differs = one.findIndex((line, index) => line !== other[index]);
  return differs < 0 ? Math.min(one.length, other.length) : differs;
}

function shown(sign: string, line: string): string {
  const text = line.replace(/\r?\n$/, "");
  return `${sign}${text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE)}…` : text}`;
}
