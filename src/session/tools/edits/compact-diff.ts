/** Shows changes of a text as a diff with little around them. Pure. */
import type { Change } from "./apply-edits.ts";

const CONTEXT = 2;
const MOST_LINES = 200;
const LONGEST_LINE = 300;

/** Lines that changed together, counted from 0. */
interface Hunk {
  readonly first: number;
  readonly last: number;
  readonly changes: readonly Change[];
}

/** The lines that go and come, with two around each place; long ones are cut and say so. */
export function compactDiff(original: string, changes: readonly Change[]): string {
  const starts = lineStarts(original);
  let moved = 0;
  const lines = hunksOf(starts, changes).flatMap((hunk) => {
    const { text, grown } = render(original, { starts, hunk, moved });
    moved += grown;
    return text;
  });
  if (lines.length <= MOST_LINES) return lines.join("\n");
  const left = lines.length - MOST_LINES;
  return [...lines.slice(0, MOST_LINES), `[${left} lines of the diff left out]`].join("\n");
}

function lineStarts(text: string): number[] {
  return [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
}

function lineOf(starts: readonly number[], place: number): number {
  const after = starts.findIndex((start) => start > place);
  return (after < 0 ? starts.length : after) - 1;
}

function hunksOf(starts: readonly number[], changes: readonly Change[]): Hunk[] {
  const hunks: Hunk[] = [];
  for (const change of changes) {
    const first = lineOf(starts, change.start);
    const last = lineOf(starts, change.end);
    const before = hunks.at(-1);
    if (before && first - before.last <= 2 * CONTEXT) {
      hunks[hunks.length - 1] = { ...before, last, changes: [...before.changes, change] };
    } else hunks.push({ first, last, changes: [change] });
  }
  return hunks;
}

interface Place {
  readonly starts: readonly number[];
  readonly hunk: Hunk;
  /** How many lines came before, less those that went. */
  readonly moved: number;
}

function render(original: string, { starts, hunk, moved }: Place) {
  const from = starts[hunk.first] ?? 0;
  const to = starts[hunk.last + 1] ?? original.length;
  const gone = linesOf(original.slice(from, to));
  const come = linesOf(replaced(original, hunk.changes, { from, to }));
  const head = commonStart(gone, come);
  const tail = commonStart(gone.slice(head).reverse(), come.slice(head).reverse());
  const line = hunk.first + head;
  const all = linesOf(original);
  const before = all.slice(Math.max(0, line - CONTEXT), line);
  const lastGone = line + gone.length - head - tail;
  const after = all.slice(lastGone, lastGone + CONTEXT);
  const text = [
    `@@ -${line + 1} +${line + 1 + moved} @@`,
    ...before.map((one) => shown(" ", one)),
    ...gone.slice(head, gone.length - tail).map((one) => shown("-", one)),
    ...come.slice(head, come.length - tail).map((one) => shown("+", one)),
    ...after.map((one) => shown(" ", one)),
  ];
  return { text, grown: come.length - gone.length };
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
