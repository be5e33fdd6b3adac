/**
 * The difference of two texts in the form that patch(1) reads.
 *
 * Lines that both begin and end with are left out of the search, and lines that are alike are
 * looked at only near a change: a model may change any file, and whoever else is served waits.
 */
import { type LineChanges, lineChanges } from "./line-changes.ts";

/** A run of changes with the lines around it, and how many lines of each side come before it. */
interface Hunk {
  readonly above: Readonly<Record<"from" | "to", number>>;
  readonly lines: { readonly mark: " " | "-" | "+"; readonly text: string }[];
}

/** What is between the lines that both texts begin and end with, and the few of those that are shown. */
interface Difference {
  readonly above: string;
  readonly gone: string;
  readonly come: string;
  readonly below: string;
}

const CONTEXT = 3;
const NEWLINE = 0x0a;
/** Of both sides together. To keep more of them apart takes seconds. */
const MOST_LINES = 2_500_000;

/** The difference, with a name for each side; empty when there is none. */
export function unifiedDiff(
  before: { readonly name: string; readonly text: string },
  after: { readonly name: string; readonly text: string },
): string {
  const hunks = unifiedHunks(before.text, after.text);
  return hunks === "" ? "" : `--- ${before.name}\n+++ ${after.name}\n${hunks}`;
}

/** The same without names. */
export function unifiedHunks(before: string, after: string): string {
  if (before === after) return "";
  const first = startOfDifference(before, after);
  const alike = before.length - endOfDifference(before, after, first);
  const start = linesBack(before, first);
  const end = before.length - alike;
  const skipped = newLinesIn(before, start);
  const middle = (text: string) => text.slice(first, text.length - alike);
  const difference = {
    above: before.slice(start, first),
    ...{ gone: middle(before), come: middle(after) },
    below: before.slice(end, linesOn(before, end)),
  };
  const found = hunksBetween(difference);
  return found?.map((hunk) => hunkText(hunk, skipped)).join("") ?? wholeHunk(difference, skipped);
}

/**
 * Nothing where it would take too long to tell which lines are alike. No change is looked for in what
 * stands below: a hunk with fewer lines there than above would be taken for the end of a file.
 */
function hunksBetween({ above, gone, come, below }: Difference): Hunk[] | undefined {
  if (linesIn(gone) + linesIn(come) > MOST_LINES) return undefined;
  const [from, to] = [linesOf(above + gone), linesOf(above + come)];
  const changes = lineChanges(from, to);
  return changes && hunksIn([...from, ...linesOf(below)], to, changes);
}

function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Where the first line that differs begins. */
function startOfDifference(before: string, after: string): number {
  const most = Math.min(before.length, after.length);
  let at = 0;
  while (at < most && before.charCodeAt(at) === after.charCodeAt(at)) at += 1;
  return at === 0 ? 0 : before.lastIndexOf("\n", at - 1) + 1;
}

/** Where, in `before`, only lines follow that both end with. */
function endOfDifference(before: string, after: string, start: number): number {
  const most = Math.min(before.length, after.length) - start;
  let alike = 0;
  const [last, other] = [before.length - 1, after.length - 1];
  while (alike < most && before.charCodeAt(last - alike) === after.charCodeAt(other - alike)) {
    alike += 1;
  }
  // The first of these lines may differ in its beginning.
  return lineOn(before, before.length - alike);
}

/** Where the lines begin that are shown in front of a place. */
function linesBack(text: string, place: number): number {
  let at = place;
  for (let line = 0; line < CONTEXT && at > 0; line += 1) {
    at = at < 2 ? 0 : text.lastIndexOf("\n", at - 2) + 1;
  }
  return at;
}

/** Where those end that are shown behind one. */
function linesOn(text: string, place: number): number {
  let at = place;
  for (let line = 0; line < CONTEXT; line += 1) at = lineOn(text, at);
  return at;
}

function lineOn(text: string, place: number): number {
  const end = text.indexOf("\n", place);
  return end === -1 ? text.length : end + 1;
}

/** The last one counts also without an end. */
function linesIn(text: string): number {
  return newLinesIn(text, text.length) + (text === "" || text.endsWith("\n") ? 0 : 1);
}

function newLinesIn(text: string, end: number): number {
  let count = 0;
  for (let at = 0; at < end; at += 1) if (text.charCodeAt(at) === NEWLINE) count += 1;
  return count;
}

/** Changes with the lines around them; those whose surroundings meet are one. */
function hunksIn(
  from: readonly string[],
  to: readonly string[],
  { gone, come }: LineChanges,
): Hunk[] {
  const hunks: Hunk[] = [];
  const same = (start: number, end: number) =>
    from.slice(start, end).map((text) => ({ mark: " " as const, text }));
  let [x, y, going, coming] = [0, 0, 0, 0];
  while (going < gone.length || coming < come.length) {
    const rest = [(gone[going] ?? Infinity) - x, (come[coming] ?? Infinity) - y];
    const alike = Math.min(...rest);
    const last = hunks.at(-1);
    if (last !== undefined && alike <= 2 * CONTEXT) last.lines.push(...same(x, x + alike));
    else {
      last?.lines.push(...same(x, x + CONTEXT));
      const shown = Math.min(alike, CONTEXT);
      const above = { from: x + alike - shown, to: y + alike - shown };
      hunks.push({ above, lines: same(above.from, x + alike) });
    }
    x += alike;
    y += alike;
    const lines = hunks.at(-1)?.lines;
    for (; gone[going] === x; going += 1, x += 1) lines?.push({ mark: "-", text: from[x] ?? "" });
    for (; come[coming] === y; coming += 1, y += 1) lines?.push({ mark: "+", text: to[y] ?? "" });
  }
  hunks.at(-1)?.lines.push(...same(x, x + CONTEXT));
  return hunks;
}

function hunkText({ above, lines }: Hunk, skipped: number): string {
  const range = (without: "-" | "+", before: number) => {
    const count = lines.filter(({ mark }) => mark !== without).length;
    return `${skipped + (count === 0 ? before : before + 1)},${count}`;
  };
  const text = lines.map(
    ({ mark, text: line }) => mark + (line.endsWith("\n") ? line : open(line)),
  );
  return `@@ -${range("+", above.from)} +${range("-", above.to)} @@\n${text.join("")}`;
}

function open(line: string): string {
  return `${line}\n\\ No newline at end of file\n`;
}

/** All that is not alike goes and comes; the texts are marked as they are, and never cut into lines. */
function wholeHunk({ above, gone, come, below }: Difference, skipped: number): string {
  const around = linesIn(above) + linesIn(below);
  const range = (lines: number) => `${skipped + (lines === 0 ? 0 : 1)},${lines}`;
  const head = `@@ -${range(around + linesIn(gone))} +${range(around + linesIn(come))} @@\n`;
  return [head, marked(above, " "), marked(gone, "-"), marked(come, "+"), marked(below, " ")].join(
    "",
  );
}

function marked(text: string, mark: string): string {
  if (text === "") return "";
  const isWhole = text.endsWith("\n");
  // Many times quicker than to replace each of them.
  const lines = mark + (isWhole ? text.slice(0, -1) : text).split("\n").join(`\n${mark}`);
  return isWhole ? `${lines}\n` : open(lines);
}
