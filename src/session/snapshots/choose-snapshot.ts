/** Whether a snapshot that is kept will do, or why one has to be built. Pure. */

export type RebuildReason = "missing" | "stale" | "forced" | "gone";

export interface SnapshotQuestion<S extends SnapshotAge> {
  /** The newest that is kept of the profile. */
  readonly kept: S | undefined;
  readonly now: number;
  /** Null where what was built does not grow old. */
  readonly maxAgeMs: number | null;
  /** Nothing where any that is fresh will do. */
  readonly demand: SnapshotDemand | undefined;
}

/** `not`: any but that one, which is gone. `since`: only what was made from then on. */
export type SnapshotDemand = { readonly not: string } | { readonly since: number };

interface SnapshotAge {
  readonly id: string;
  readonly createdAt: number;
}

export type SnapshotChoice<S> =
  | { readonly kind: "use"; readonly snapshot: S }
  | { readonly kind: "build"; readonly reason: RebuildReason };

export function chooseSnapshot<S extends SnapshotAge>(
  question: SnapshotQuestion<S>,
): SnapshotChoice<S> {
  const { kept: snapshot, demand } = question;
  if (snapshot === undefined) return build(demand === undefined ? "missing" : reasonOf(demand));
  if (demand !== undefined && !meets(snapshot, demand)) return build(reasonOf(demand));
  return isStale(snapshot, question) ? build("stale") : { kind: "use", snapshot };
}

function meets({ id, createdAt }: SnapshotAge, demand: SnapshotDemand): boolean {
  return "not" in demand ? id !== demand.not : createdAt >= demand.since;
}

/** One of the future was stamped by a clock that was wrong: nobody knows how old it is. */
function isStale(
  { createdAt }: SnapshotAge,
  { now, maxAgeMs, demand }: SnapshotQuestion<SnapshotAge>,
): boolean {
  if (maxAgeMs === null) return false;
  // What somebody built for this very call is new, also where nothing may be old.
  if (demand !== undefined && "since" in demand) return false;
  return createdAt > now || now - createdAt >= maxAgeMs;
}

function build(reason: RebuildReason): SnapshotChoice<never> {
  return { kind: "build", reason };
}

function reasonOf(demand: SnapshotDemand): RebuildReason {
  return "not" in demand ? "gone" : "forced";
}
