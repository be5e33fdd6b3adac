/**
 * Which lines go and which come between two texts: the fewest, found by Myers' greedy search.
 *
 * Its work grows with the number of changed lines, so that a large file with a small change costs
 * little. Beyond a number of changes that nobody reads, or of lines compared, nothing is found.
 */

export interface LineChanges {
  /** Lines of `from`, ascending. */
  readonly gone: readonly number[];
  /** Lines of `to`, ascending. */
  readonly come: readonly number[];
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

const MOST_CHANGES = 1000;
/** Lines that are alike everywhere are compared once for each change; a long one counts for several. */
const MOST_COMPARED = 5_000_000;
const CHARACTERS_A_LINE = 64;

/** Undefined where it would take too long to find them. */
export function lineChanges(
  from: readonly string[],
  to: readonly string[],
): LineChanges | undefined {
  let reached: ReadonlyMap<number, Reached> = new Map();
  let left = MOST_COMPARED;
  for (let count = 0; count <= MOST_CHANGES && left > 0; count += 1) {
    const next = new Map<number, Reached>();
    for (let diagonal = -count; diagonal <= count && left > 0; diagonal += 2) {
      const { x: start, last } = count === 0 ? { x: 0 } : stepTo(reached, diagonal);
      const x = slide(from, to, { start, diagonal });
      if (x >= from.length && x - diagonal >= to.length) return collect(last);
      next.set(diagonal, { x, last });
      left -= costOf(from, start, x);
    }
    reached = next;
  }
  return undefined;
}

/** Of the lines that were alike, and of the one that was not. */
function costOf(from: readonly string[], start: number, end: number): number {
  let cost = 0;
  for (let x = start; x <= end; x += 1) cost += 1 + (from[x]?.length ?? 0) / CHARACTERS_A_LINE;
  return cost;
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

function collect(last: Change | undefined): LineChanges {
  const [gone, come]: [number[], number[]] = [[], []];
  for (let one = last; one !== undefined; one = one.before) {
    (one.mark === "-" ? gone : come).push(one.line);
  }
  return { gone: gone.reverse(), come: come.reverse() };
}

function slide(
  from: readonly string[],
  to: readonly string[],
  { start, diagonal }: { readonly start: number; readonly diagonal: number },
): number {
  let x = start;
  while (x < from.length && x - diagonal < to.length && from[x] === to[x - diagonal]) x += 1;
  return x;
}
