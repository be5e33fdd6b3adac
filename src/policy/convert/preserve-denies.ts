/**
 * Carries what the current profile forbids into the one that replaces it.
 *
 * An override changes what is granted, not what was forbidden: only a caller
 * that may drop denies gets `next` as it is. A profile without a sandbox gains
 * one, because a deny needs something that enforces it.
 */
import { canonicalText } from "../digest/canonical-text.ts";
import { comparableUri, isBelowAny, parentUri } from "../paths/uri-contains.ts";
import { PolicyError } from "../policy-error.ts";
import type { Entry } from "../profile/entry.ts";
import type { Network } from "../profile/network.ts";
import type { FileSystem, PermissionProfile } from "../profile/permission-profile.ts";
import { deepestScan, type ScanDepth } from "../profile/scan-depth.ts";

/** The next profile with the denies, limits and network rules of the current one still in force. */
export function preserveDenies(
  current: PermissionProfile,
  next: PermissionProfile,
  caller: { readonly mayDropDenies: boolean },
): PermissionProfile {
  if (caller.mayDropDenies) return next;
  const limits = (next.limits ?? current.limits) && { ...current.limits, ...next.limits };
  const kept = denials(current);
  if (current.type === "disabled" || kept === undefined) {
    return { ...withRules(current, next), ...(limits && { limits }) };
  }
  if (next.type === "external") {
    throw new PolicyError(
      "unrepresentable",
      "Cannot hand the sandbox to somebody else: the current policy denies paths, expected a policy that writ enforces",
    );
  }
  // A profile without a sandbox says nothing about sockets, so what holds goes on holding.
  const { unixSockets } = current;
  const enforced = next.type === "disabled" ? { ...OPEN, unixSockets } : next;
  refuseReopening(current, enforced, kept);
  return {
    ...withRules(current, enforced),
    type: "managed",
    fileSystem: merge(enforced.fileSystem, kept),
    ...(limits && { limits }),
  };
}

const OPEN = {
  type: "managed",
  fileSystem: { type: "unrestricted" },
  network: { kind: "enabled" },
} as const;

type Restricted = Extract<FileSystem, { type: "restricted" }>;

function denials(profile: PermissionProfile): Restricted | undefined {
  if (profile.type !== "managed" || profile.fileSystem.type !== "restricted") return undefined;
  const entries = profile.fileSystem.entries.filter(({ access }) => access === "deny");
  return entries.length === 0 ? undefined : { ...profile.fileSystem, entries };
}

/** "On" is all a coarse policy can say; it does not mean that rules were to go. */
function withRules<P extends PermissionProfile>(current: PermissionProfile, next: P): P {
  if (current.type === "disabled" || next.type === "disabled") return next;
  const { network }: { network: Network } = next;
  const rules = current.network.kind === "ruled" && network.kind === "enabled";
  return rules ? { ...next, network: current.network } : next;
}

/** A grant below a deny would lift it. One that the current profile has too was meant. */
function refuseReopening(current: PermissionProfile, next: PermissionProfile, kept: Restricted) {
  const known = new Set(entriesOf(current).map(canonicalText));
  const denied = placesOf(kept.entries);
  const lifting = entriesOf(next).find(
    (entry) => !isProtection(entry) && !known.has(canonicalText(entry)) && lifts(entry, denied),
  );
  if (lifting === undefined) return;
  throw new PolicyError(
    "widens",
    `Cannot override the policy: it grants ${lifting.access} inside a place that the current policy denies (${canonicalText(lifting.target)})`,
  );
}

interface Places {
  readonly paths: ReadonlySet<string>;
  readonly subpaths: ReadonlySet<string>;
}

function placesOf(entries: readonly Entry[]): Places {
  const targets = entries.map(({ target }) => target);
  return {
    paths: new Set(
      targets.flatMap((one) => (one.type === "path" ? [comparableUri(one.path)] : [])),
    ),
    subpaths: new Set(
      targets.flatMap((one) => (one.type === "workspaceRoots" ? [one.subpath ?? ""] : [])),
    ),
  };
}

/** Strictly below a denied place; on the same place the deny outranks it. */
function lifts({ target, access }: Entry, denied: Places): boolean {
  if (access === "deny") return false;
  if (target.type === "path") {
    const above = parentUri(target.path);
    return above !== undefined && isBelowAny(above, denied.paths);
  }
  if (target.type !== "workspaceRoots" || target.subpath === undefined) return false;
  const names = target.subpath.split("/");
  return names.some((_, index) => denied.subpaths.has(names.slice(0, index).join("/")));
}

/** The default protections of an override are no grants; below a deny they have nothing to protect. */
function isProtection({ access, missing }: Entry): boolean {
  return access === "read" && missing === "skip";
}

function entriesOf(profile: PermissionProfile): readonly Entry[] {
  if (profile.type !== "managed" || profile.fileSystem.type === "unrestricted") return [];
  return profile.fileSystem.entries;
}

function merge(next: FileSystem, kept: Restricted): FileSystem {
  const granted: readonly Entry[] =
    next.type === "restricted" ? next.entries : [{ target: { type: "root" }, access: "write" }];
  const denied = placesOf(kept.entries);
  const standing = granted.filter((entry) => !(isProtection(entry) && lifts(entry, denied)));
  const known = new Set(standing.map(canonicalText));
  const depth = deepestScan([scanDepth(next), scanDepth(kept)]);
  return {
    type: "restricted",
    entries: [...standing, ...kept.entries.filter((entry) => !known.has(canonicalText(entry)))],
    ...(depth && { globScanMaxDepth: depth }),
  };
}

function scanDepth(fileSystem: FileSystem): ScanDepth {
  if (fileSystem.type === "unrestricted") return { hasGlobs: false, depth: undefined };
  const { entries, globScanMaxDepth } = fileSystem;
  return {
    hasGlobs: entries.some(({ target }) => target.type === "glob"),
    depth: globScanMaxDepth,
  };
}
