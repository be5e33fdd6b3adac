/**
 * Whether a grant leads somewhere else than it says.
 *
 * Two profiles are compared by the paths they name; on a disk a path may be a
 * link. Where they lead is asked of the caller, because nothing here may look.
 */
import type { BoundEntry, BoundProfile } from "../access/bound-profile.ts";
import { decideByEntries } from "../access/decide.ts";
import type { AbsolutePath } from "../paths/absolute-path.ts";
import { type Access, allowsMore, stricterOf } from "../profile/access.ts";

export interface Detour {
  readonly path: AbsolutePath;
  /** Nothing where it cannot be told. */
  readonly leadsTo: AbsolutePath | undefined;
  readonly asked: Access;
}

/** Where a path leads without links; nothing where it cannot be told. */
export type RealPath = (path: AbsolutePath) => AbsolutePath | undefined;

/** The first grant of `candidate` that leads to where `base` allows less. */
export function firstDetour(
  candidate: BoundProfile,
  base: BoundProfile,
  realPath: RealPath,
): Detour | undefined {
  if (candidate.files.type === "unrestricted" || base.files.type === "unrestricted") {
    return undefined;
  }
  const there = { ...base, files: { ...base.files, entries: led(base.files.entries, realPath) } };
  for (const { path, access: asked } of candidate.files.entries) {
    if (asked === "deny") continue;
    const leadsTo = realPath(path);
    const allowed = leadsTo && decideByEntries(there, leadsTo).access;
    if (allowed === undefined || allowsMore(asked, allowed)) return { path, leadsTo, asked };
  }
  return undefined;
}

/** The entries where they lead; of two that meet, what forbids more. One that leads nowhere grants nothing. */
function led(entries: readonly BoundEntry[], realPath: RealPath): BoundEntry[] {
  const met = new Map<AbsolutePath, BoundEntry>();
  for (const entry of entries) {
    const path = realPath(entry.path);
    if (path === undefined) continue;
    const before = met.get(path);
    const access = before === undefined ? entry.access : stricterOf(before.access, entry.access);
    met.set(path, { ...entry, path, access });
  }
  return [...met.values()];
}
