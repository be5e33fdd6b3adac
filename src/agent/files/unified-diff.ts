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

const CONTEXT = 3;

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
  const start = startOfDifference(before, after);
  const alike = before.length - endOfDifference(before, after, start);
  const middle = (text: string) => linesOf(text.slice(start, text.length - alike));
  const [from, to] = [middle(before), middle(after)];
  const skipped = newLinesIn(before, start);
  return hunksIn(from, to, lineChanges(from, to))
    .map((hunk) => hunkText(hunk, skipped))
    .join("");
}

function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Where the first line that differs begins, and the lines before it that are shown. */
function startOfDifference(before: string, after: string): number {
  const most = Math.min(before.length, after.length);
  let at = 0;
  while (at < most && before.charCodeAt(at) === after.charCodeAt(at)) at += 1;
  for (let line = 0; line <= CONTEXT && at > 0; line += 1) {
    // The first time from within a line, then from behind its end.
    const from = line === 0 ? at - 1 : at - 2;
    at = from < 0 ? 0 : before.lastIndexOf("\n", from) + 1;
  }
  return at;
}

/** Where, in `before`, only lines follow that both end with, behind those that are shown. */
function endOfDifference(before: string, after: string, start: number): number {
  const most = Math.min(before.length, after.length) - start;
  let alike = 0;
  while (alike < most && before.at(-1 - alike) === after.at(-1 - alike)) alike += 1;
  let at = before.length - alike;
  // The first of these lines may differ in its beginning.
  for (let line = 0; line <= CONTEXT && at < before.length; line += 1) {
    const end = before.indexOf("\n", at);
    at = end === -1 ? before.length : end + 1;
  }
  return at;
}

function newLinesIn(text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1 && at < end; at = text.indexOf("\n", at + 1)) {
    count += 1;
  }
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
