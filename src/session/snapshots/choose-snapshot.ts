/** Whether a snapshot that is kept will do, or why one has to be built. Pure. */

export type RebuildReason = "missing" | "stale" | "forced" | "gone";

export interface SnapshotQuestion<S extends SnapshotAge> {
  /** The newest that is kept of the profile. */
  readonly kept: S | undefined;
  readonly now: number;
  /** Null where what was built does not grow old. */
  readonly maxAgeMs: number | null;
  /** `any` that is fresh, none by `force`, or any but one that is `gone`. */
  readonly demand: "any" | "force" | { readonly gone: string };
}

interface SnapshotAge {
  readonly id: string;
  readonly createdAt: number;
}

export type SnapshotChoice<S> =
  | { readonly kind: "use"; readonly snapshot: S }
  | { readonly kind: "build"; readonly reason: RebuildReason };

export function chooseSnapshot<S extends SnapshotAge>({
  kept: snapshot,
  now,
  maxAgeMs,
  demand,
}: SnapshotQuestion<S>): SnapshotChoice<S> {
  if (demand === "force") return { kind: "build", reason: "forced" };
  const isGone = demand !== "any" && (snapshot === undefined || snapshot.id === demand.gone);
  if (isGone) return { kind: "build", reason: "gone" };
  if (snapshot === undefined) return { kind: "build", reason: "missing" };
  if (isStale(snapshot, now, maxAgeMs)) return { kind: "build", reason: "stale" };
  return { kind: "use", snapshot };
}

/** One of the future was stamped by a clock that was wrong: nobody knows how old it is. */
function isStale({ createdAt }: SnapshotAge, now: number, maxAgeMs: number | null): boolean {
  if (maxAgeMs === null) return false;
  return createdAt > now || now - createdAt >= maxAgeMs;
}
