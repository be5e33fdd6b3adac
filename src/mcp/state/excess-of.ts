/** Longer than any policy that somebody wrote; compared and kept, it is held in memory more than once. */
const MOST_LENGTH = 1 << 20;

/** Deeper than any policy goes; what walks a value level by level must not run out of stack. */
const MOST_DEPTH = 64;

/** What of a JSON value is more than anybody would mean, in words; nothing where it is not. */
export function excessOf(value: unknown): string | undefined {
  if (isDeep(value)) return `is nested, expected ${MOST_DEPTH} levels at most`;
  const length = JSON.stringify(value)?.length ?? 0;
  if (length <= MOST_LENGTH) return undefined;
  return `has ${length} characters, expected ${MOST_LENGTH} at most`;
}

function isDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MOST_DEPTH) return true;
    level = level.flatMap((one) =>
      typeof one === "object" && one !== null ? Object.values(one) : [],
    );
  }
  return false;
}
