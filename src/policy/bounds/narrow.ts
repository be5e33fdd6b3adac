/**
 * The intersection of two bound profiles: what both allow, and nothing else.
 *
 * Access is constant between the paths that either profile names, so it is
 * enough to ask both at each of these paths and keep the stricter answer.
 */
import { decidingEntries } from "../access/bind-profile.ts";
import {
  type BoundEntry,
  type BoundNetwork,
  type BoundProfile,
  ENFORCEMENT_FREEDOM,
} from "../access/bound-profile.ts";
import { decideByEntries } from "../access/decide.ts";
import { EntryTree } from "../access/entry-tree.ts";
import { canonicalText } from "../digest/canonical-text.ts";
import { type AbsolutePath, namesOf } from "../paths/absolute-path.ts";
import { allowsMore } from "../profile/access.ts";
import { deepestScan, type ScanDepth } from "../profile/scan-depth.ts";
import { stricterLimits } from "../profile/stricter-limits.ts";
import { strictestUnixSockets } from "../profile/strictest-unix-sockets.ts";

type Files = BoundProfile["files"];
type Restricted = Extract<Files, { type: "restricted" }>;

/** Allows nothing that either forbids. The roots, which only name the place, are those of `a`. */
export function narrow(a: BoundProfile, b: BoundProfile): BoundProfile {
  const limits = stricterLimits(a.limits, b.limits);
  return {
    enforcement: strictestEnforcement(a, b),
    files: narrowFiles(a, b),
    network: narrowNetwork(a.network, b.network),
    unixSockets: strictestUnixSockets(a.unixSockets, b.unixSockets),
    ...(limits && { limits }),
    roots: a.roots,
  };
}

function strictestEnforcement(a: BoundProfile, b: BoundProfile): BoundProfile["enforcement"] {
  return ENFORCEMENT_FREEDOM[a.enforcement] < ENFORCEMENT_FREEDOM[b.enforcement]
    ? a.enforcement
    : b.enforcement;
}

function narrowFiles(a: BoundProfile, b: BoundProfile): Files {
  if (a.files.type === "unrestricted") return b.files;
  if (b.files.type === "unrestricted") return a.files;
  const depth = deepestScan([scanDepth(a.files), scanDepth(b.files)]);
  return {
    type: "restricted",
    entries: withoutEchoes(entriesOfBoth(a, b)),
    globs: distinct([...a.files.globs, ...b.files.globs], ({ pattern }) => pattern),
    ...(depth !== undefined && { globScanMaxDepth: depth }),
  };
}

function entriesOfBoth(a: BoundProfile, b: BoundProfile): BoundEntry[] {
  const named = [a, b].flatMap(({ files }) => (files.type === "restricted" ? files.entries : []));
  const protects = new Map(decidingEntries(named.filter(isWrite)).map((one) => [one.path, one]));
  const paths = [...new Set(named.map(({ path }) => path))];
  return paths.map((path) => {
    const [first, second] = [boundary(a, path), boundary(b, path)];
    const { access, rule } = allowsMore(first.access, second.access) ? second : first;
    return {
      path,
      access,
      rule,
      protects: (access === "write" && protects.get(path)?.protects) || [],
    };
  });
}

/** What one side says at a path, with the words of the entry that decided. */
function boundary(profile: BoundProfile, path: AbsolutePath) {
  const decision = decideByEntries(profile, path);
  switch (decision.by) {
    case "entry":
      return { access: decision.access, rule: decision.entry.rule };
    case "protectedName":
      return { access: decision.access, rule: `protected name "${decision.name.name}"` };
    default:
      return { access: decision.access, rule: "no entry" };
  }
}

/** Drops entries that only repeat what already holds above them. A write entry always stays: it reopens. */
function withoutEchoes(entries: readonly BoundEntry[]): BoundEntry[] {
  const tree = new EntryTree();
  const shallowFirst = entries
    .map((entry) => ({ entry, depth: namesOf(entry.path).length }))
    .sort((a, b) => a.depth - b.depth);
  return shallowFirst.flatMap(({ entry }) => {
    if (!isWrite(entry) && tree.decide(entry.path).access === entry.access) return [];
    tree.add(entry);
    return [entry];
  });
}

function narrowNetwork(a: BoundNetwork, b: BoundNetwork): BoundNetwork {
  if (a.kind === "restricted" || b.kind === "restricted") return { kind: "restricted" };
  if (a.kind === "enabled") return b;
  if (b.kind === "enabled") return a;
  return { kind: "ruled", all: distinct([...a.all, ...b.all], canonicalText) };
}

function scanDepth({ globs, globScanMaxDepth }: Restricted): ScanDepth {
  return { hasGlobs: globs.length > 0, depth: globScanMaxDepth };
}

function isWrite({ access }: BoundEntry): boolean {
  return access === "write";
}

function distinct<T>(values: readonly T[], keyOf: (value: T) => string): T[] {
  return [...new Map(values.map((value) => [keyOf(value), value])).values()];
}
