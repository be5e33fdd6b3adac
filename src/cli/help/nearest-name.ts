/** The name that somebody probably meant; nothing where none is near. It is said, never used. */
export function nearestName(word: string, names: readonly string[]): string | undefined {
  const near = names
    .map((name) => ({ name, slips: slipsBetween(word, name) }))
    .filter(({ slips }) => slips <= mostSlips(word))
    .sort((a, b) => a.slips - b.slips);
  return near[0]?.name;
}

/** A short word has room for one. */
function mostSlips(word: string): number {
  return word.length > 3 ? 2 : 1;
}

/** How many letters were left out, added, changed, or typed before the one they follow. */
function slipsBetween(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, count) => count)];
  for (const index of from.split("").keys()) rows.push(nextRow(rows, from.slice(0, index + 1), to));
  return rows.at(-1)?.at(-1) ?? 0;
}

/** What each beginning of `to` is away from a beginning of the other word, of what it is from shorter ones. */
function nextRow(rows: readonly (readonly number[])[], from: string, to: string): number[] {
  const above = rows.at(-1) ?? [];
  const row = [from.length];
  for (const [column, other] of to.split("").entries()) {
    const changed = (above[column] ?? 0) + (from.endsWith(other) ? 0 : 1);
    const swapped = from.length > 1 && column > 0 && from.endsWith(`${other}${to[column - 1]}`);
    const turned = swapped ? (rows.at(-2)?.[column - 1] ?? 0) + 1 : changed;
    row.push(Math.min((above[column + 1] ?? 0) + 1, (row[column] ?? 0) + 1, changed, turned));
  }
  return row;
}
