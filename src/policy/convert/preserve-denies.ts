import { PolicyError } from "../policy-error.ts";
import type { Entry } from "../profile/entry.ts";
import type { FileSystem, PermissionProfile } from "../profile/permission-profile.ts";

/**
 * Carries the deny entries of the current profile into the one that replaces it.
 *
 * An override changes what is granted, not what was forbidden: only a caller
 * that may drop denies gets `next` as it is. A profile without a sandbox gains
 * one, because a deny needs something that enforces it.
 */
export function preserveDenies(
  current: PermissionProfile,
  next: PermissionProfile,
  caller: { readonly mayDropDenies: boolean },
): PermissionProfile {
  const kept = restrictions(current);
  if (caller.mayDropDenies || kept === undefined) return next;
  if (next.type === "external") {
    throw new PolicyError(
      "unrepresentable",
      "Cannot hand the sandbox to somebody else: the current policy denies paths, expected a policy that writ enforces",
    );
  }
  const network = next.type === "disabled" ? { kind: "enabled" as const } : next.network;
  return {
    type: "managed",
    fileSystem: merge(next.type === "disabled" ? { type: "unrestricted" } : next.fileSystem, kept),
    network,
    ...(next.limits && { limits: next.limits }),
  };
}

type Restricted = Extract<FileSystem, { type: "restricted" }>;

function restrictions(profile: PermissionProfile): Restricted | undefined {
  if (profile.type !== "managed" || profile.fileSystem.type !== "restricted") return undefined;
  const entries = profile.fileSystem.entries.filter(({ access }) => access === "deny");
  return entries.length === 0 ? undefined : { ...profile.fileSystem, entries };
}

function merge(next: FileSystem, kept: Restricted): FileSystem {
  const granted: readonly Entry[] =
    next.type === "restricted" ? next.entries : [{ target: { type: "root" }, access: "write" }];
  const depth = mergedDepth(next, kept);
  return {
    type: "restricted",
    entries: [...granted, ...kept.entries.filter((entry) => !granted.some(sameEntry(entry)))],
    ...(depth && { globScanMaxDepth: depth }),
  };
}

/** A side counts only if it has globs; no bound on one side is no bound at all. */
function mergedDepth(next: FileSystem, kept: Restricted): number | undefined {
  const sides = [next, kept].filter(
    (side) =>
      side.type === "restricted" && side.entries.some(({ target }) => target.type === "glob"),
  ) as Restricted[];
  const depths = sides.map((side) => side.globScanMaxDepth ?? Number.POSITIVE_INFINITY);
  const deepest = Math.max(0, ...depths);
  return Number.isFinite(deepest) && deepest > 0 ? deepest : undefined;
}

function sameEntry(entry: Entry) {
  const text = JSON.stringify(entry);
  return (other: Entry) => JSON.stringify(other) === text;
}
