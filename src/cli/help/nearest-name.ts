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

/** How many letters were left out, added or changed. */
function slipsBetween(from: string, to: string): number {
  const first = Array.from({ length: to.length + 1 }, (_, count) => count);
  const last = [...from].reduce((row, letter) => nextRow(row, letter, to), first);
  return last.at(-1) ?? 0;
}

/** What each beginning of `to` is away from one more letter of the other word. */
function nextRow(above: readonly number[], letter: string, to: string): number[] {
  const row = [(above[0] ?? 0) + 1];
  for (const [column, other] of [...to].entries()) {
    const changed = (above[column] ?? 0) + (letter === other ? 0 : 1);
    row.push(Math.min((above[column + 1] ?? 0) + 1, (row[column] ?? 0) + 1, changed));
  }
  return row;
}
