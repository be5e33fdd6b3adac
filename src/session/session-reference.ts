/**
 * What a thread remembers of its sandbox between turns.
 *
 * `null` says that there is known to be none; `undefined` that nobody was ever
 * told. Whoever stores one stores both.
 */
export interface SessionReference {
  readonly id: string;
  /** The policy it was made under, on the machine that enforces it. */
  readonly boundDigest: string;
  /** Counts the sandboxes of the thread; the first is 1. */
  readonly generation: number;
  /** Names what it started from; null where that is nothing. */
  readonly dependencies: string | null;
}

/** Whether two references name the same sandbox, or the same absence. */
export function isSameReference(
  one: SessionReference | null | undefined,
  other: SessionReference | null | undefined,
): boolean {
  if (!one || !other) return one === other;
  return (
    one.id === other.id &&
    one.boundDigest === other.boundDigest &&
    one.generation === other.generation &&
    one.dependencies === other.dependencies
  );
}
