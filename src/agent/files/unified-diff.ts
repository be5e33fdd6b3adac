/**
 * The difference of two texts in the form that patch(1) reads.
 *
 * The shortest one, found by Myers' greedy search: its work grows with the number of changed
 * lines, so that a large file with a small change costs little. Beyond a number of changes that
 * nobody reads, all lines between the first and the last difference go and come.
 */
interface Line {
  readonly mark: " " | "-" | "+";
  readonly text: string;
}

const CONTEXT = 3;
const MOST_CHANGES = 1000;

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
  const lines = editScript(linesOf(before), linesOf(after));
  return hunksIn(lines)
    .map(({ start, end }) => hunkText(lines, start, end))
    .join("");
}

function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function editScript(from: readonly string[], to: readonly string[]): Line[] {
  const changes = changesBetween(from, to);
  const lines: Line[] = [];
  let [x, y] = [0, 0];
  while (x < from.length || y < to.length) {
    const mark = markAt(changes, x, y);
    lines.push({ mark, text: (mark === "+" ? to[y] : from[x]) ?? "" });
    if (mark !== "+") x += 1;
    if (mark !== "-") y += 1;
  }
  return lines;
}

function markAt({ gone, come }: Changes, x: number, y: number): Line["mark"] {
  if (gone.has(x)) return "-";
  return come.has(y) ? "+" : " ";
}

/** How far a diagonal was followed in `from`, and by which changes. */
interface Reached {
  readonly x: number;
  readonly last?: Change | undefined;
}

interface Change {
  readonly mark: "-" | "+";
  readonly line: number;
  readonly before: Change | undefined;
}

interface Changes {
  /** Lines of `from`. */
  readonly gone: ReadonlySet<number>;
  /** Lines of `to`. */
  readonly come: ReadonlySet<number>;
}

function changesBetween(from: readonly string[], to: readonly string[]): Changes {
  let reached: ReadonlyMap<number, Reached> = new Map();
  for (let count = 0; count <= MOST_CHANGES; count += 1) {
    const next = new Map<number, Reached>();
    for (let diagonal = -count; diagonal <= count; diagonal += 2) {
      const { x: start, last } = count === 0 ? { x: 0 } : stepTo(reached, diagonal);
      const x = slide(from, to, start, diagonal);
      if (x >= from.length && x - diagonal >= to.length) return collect(last);
      next.set(diagonal, { x, last });
    }
    reached = next;
  }
  return allBetween(from, to);
}

function allBetween(from: readonly string[], to: readonly string[]): Changes {
  const most = Math.min(from.length, to.length);
  let [head, tail] = [0, 0];
  while (head < most && from[head] === to[head]) head += 1;
  while (tail < most - head && from.at(-1 - tail) === to.at(-1 - tail)) tail += 1;
  const rest = (lines: readonly string[]) =>
    new Set(Array.from({ length: lines.length - tail - head }, (_, index) => head + index));
  return { gone: rest(from), come: rest(to) };
}

/** One change more, from whichever neighbour got further. */
function stepTo(reached: ReadonlyMap<number, Reached>, diagonal: number): Reached {
  const left = reached.get(diagonal - 1);
  const above = reached.get(diagonal + 1);
  if (above !== undefined && (left === undefined || above.x > left.x)) {
    const line = above.x - diagonal - 1;
    return { x: above.x, last: { mark: "+", line, before: above.last } };
  }
  const x = left?.x ?? 0;
  return { x: x + 1, last: { mark: "-", line: x, before: left?.last } };
}

function collect(last: Change | undefined): Changes {
  const [gone, come] = [new Set<number>(), new Set<number>()];
  for (let one = last; one !== undefined; one = one.before) {
    (one.mark === "-" ? gone : come).add(one.line);
  }
  return { gone, come };
}

function slide(
  from: readonly string[],
  to: readonly string[],
  start: number,
  diagonal: number,
): number {
  let x = start;
  while (x < from.length && x - diagonal < to.length && from[x] === to[x - diagonal]) x += 1;
  return x;
}

/** Changes with the lines around them; those whose surroundings meet are one. */
function hunksIn(lines: readonly Line[]): { start: number; end: number }[] {
  const hunks: { start: number; end: number }[] = [];
  lines.forEach(({ mark }, index) => {
    if (mark === " ") return;
    const start = Math.max(0, index - CONTEXT);
    const end = Math.min(lines.length, index + 1 + CONTEXT);
    const last = hunks.at(-1);
    if (last !== undefined && start <= last.end) last.end = end;
    else hunks.push({ start, end });
  });
  return hunks;
}

function hunkText(lines: readonly Line[], start: number, end: number): string {
  const shown = lines.slice(start, end);
  const range = (without: Line["mark"]) => {
    const above = lines.slice(0, start).filter(({ mark }) => mark !== without).length;
    const count = shown.filter(({ mark }) => mark !== without).length;
    return `${count === 0 ? above : above + 1},${count}`;
  };
  const text = shown.map(
    ({ mark, text: line }) => mark + (line.endsWith("\n") ? line : open(line)),
  );
  return `@@ -${range("+")} +${range("-")} @@\n${text.join("")}`;
}

function open(line: string): string {
  return `${line}\n\\ No newline at end of file\n`;
}
