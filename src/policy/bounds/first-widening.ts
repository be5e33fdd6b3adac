/**
 * Whether one bound profile allows something that another forbids.
 *
 * Used where a party may narrow but not widen: a project file, a call below a
 * thread. The answer names the first place, because "refused" alone helps nobody.
 */
import {
  type BoundNetwork,
  type BoundProfile,
  ENFORCEMENT_FREEDOM,
} from "../access/bound-profile.ts";
import { accessTo, decideByEntries } from "../access/decide.ts";
import { canonicalText } from "../digest/canonical-text.ts";
import { type AbsolutePath, joinSubpath, parseAbsolutePath } from "../paths/absolute-path.ts";
import { type Access, allowsMore } from "../profile/access.ts";
import type { Limits } from "../profile/limits.ts";
import type { NetworkRules } from "../profile/network.ts";
import { exceededLimit } from "../profile/stricter-limits.ts";
import { opensMoreSockets } from "../profile/strictest-unix-sockets.ts";
import type { UnixSockets } from "../profile/unix-sockets.ts";
import { coversRules } from "./covers-rules.ts";

export type Widening =
  | {
      readonly what: "path";
      readonly path: AbsolutePath;
      readonly asked: Access;
      readonly allowed: Access;
    }
  /** A deny pattern that the candidate does not repeat. */
  | { readonly what: "glob"; readonly pattern: string }
  | { readonly what: "network" | "enforcement" | "scanDepth" }
  | { readonly what: "unixSockets"; readonly asked: UnixSockets; readonly allowed: UnixSockets }
  | { readonly what: "limit"; readonly limit: keyof Limits };

/** The first thing `candidate` allows that `base` forbids; nothing when it only narrows. */
export function firstWidening(candidate: BoundProfile, base: BoundProfile): Widening | undefined {
  if (ENFORCEMENT_FREEDOM[candidate.enforcement] > ENFORCEMENT_FREEDOM[base.enforcement]) {
    return { what: "enforcement" };
  }
  const limit = exceededLimit(candidate.limits, base.limits);
  if (limit !== undefined) return { what: "limit", limit };
  if (!networkWithin(candidate.network, base.network)) return { what: "network" };
  const { unixSockets: asked } = candidate;
  const { unixSockets: allowed } = base;
  if (opensMoreSockets(asked, allowed)) return { what: "unixSockets", asked, allowed };
  return widenedPath(candidate, base) ?? missingGlob(candidate, base) ?? shallower(candidate, base);
}

/** A back-end that looks less deep for what patterns deny hides fewer files. */
function shallower({ files: own }: BoundProfile, { files: base }: BoundProfile) {
  if (own.type === "unrestricted" || base.type === "unrestricted") return undefined;
  if (base.globs.length === 0 || own.globScanMaxDepth === undefined) return undefined;
  const enough = base.globScanMaxDepth ?? Number.POSITIVE_INFINITY;
  return own.globScanMaxDepth < enough ? ({ what: "scanDepth" } as const) : undefined;
}

/** Access changes only at named paths and at protected names, so these are all that need asking. */
function widenedPath(candidate: BoundProfile, base: BoundProfile): Widening | undefined {
  const places = new Set([...turningPoints(candidate), ...turningPoints(base)]);
  for (const path of places) {
    const asked = askedAt(candidate, path);
    const allowed = decideByEntries(base, path).access;
    if (allowsMore(asked, allowed)) return { what: "path", path, asked, allowed };
  }
  return undefined;
}

/**
 * A place that a pattern hides is no place that is widened, unless it could be made: a pattern hides
 * what is there, and in a writable folder what is missing can be made after the look.
 */
function askedAt(candidate: BoundProfile, path: AbsolutePath): Access {
  const above = parseAbsolutePath(`${path}/..`);
  const granted = [path, above].map((place) => decideByEntries(candidate, place).access);
  return granted.every((access) => access === "write") ? "write" : accessTo(candidate, path);
}

function turningPoints({ files }: BoundProfile): AbsolutePath[] {
  const root = parseAbsolutePath("/");
  if (files.type === "unrestricted") return [root];
  return [
    root,
    ...files.entries.flatMap(({ path, protects }) => [
      path,
      ...protects.map(({ name }) => joinSubpath(path, name)),
    ]),
  ];
}

/** Patterns are compared as written: whether one covers another cannot be told in general. */
function missingGlob(candidate: BoundProfile, base: BoundProfile): Widening | undefined {
  if (base.files.type === "unrestricted") return undefined;
  const kept = new Set(
    candidate.files.type === "restricted" ? candidate.files.globs.map((one) => one.pattern) : [],
  );
  const missing = base.files.globs.find(({ pattern }) => !kept.has(pattern));
  return missing && { what: "glob", pattern: missing.pattern };
}

function networkWithin(candidate: BoundNetwork, base: BoundNetwork): boolean {
  if (candidate.kind === "restricted" || base.kind === "enabled") return true;
  if (candidate.kind === "enabled" || base.kind === "restricted") return false;
  return base.all.every((wide) => candidate.all.some((tight) => rulesWithin(tight, wide)));
}

function rulesWithin(tight: NetworkRules, wide: NetworkRules): boolean {
  return canonicalText(tight) === canonicalText(wide) || coversRules(wide, tight);
}
