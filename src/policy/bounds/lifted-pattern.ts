import type { BoundProfile } from "../access/bound-profile.ts";
import { accessTo } from "../access/decide.ts";
import { parseGlob } from "../access/glob.ts";
import type { GlobRule } from "../access/glob-tree.ts";
import { type AbsolutePath, isWithin, parseAbsolutePath } from "../paths/absolute-path.ts";
import { type Access, allowsMore } from "../profile/access.ts";

export interface LiftedPattern {
  readonly pattern: string;
  readonly asked: Access;
  readonly rule: string;
}

/** A pattern taken apart: a folder by its name, and what is denied in it. */
interface Denied {
  readonly folder: AbsolutePath;
  /** Equal where the same is denied in both. */
  readonly below: string;
  readonly isDeep: boolean;
}

/**
 * The first deny pattern that the next profile has lost, and something that it opens where that held.
 *
 * Patterns of the workspace are bound to its folders, so another folder makes another pattern of each.
 */
export function liftedPattern(
  { files }: BoundProfile,
  next: BoundProfile,
): LiftedPattern | undefined {
  if (files.type === "unrestricted") return undefined;
  const standing = next.files.type === "unrestricted" ? [] : next.files.globs;
  const written = new Set(standing.map(({ pattern }) => pattern));
  const lost = files.globs.filter(({ pattern }) => !written.has(pattern));
  if (lost.length === 0) return undefined;
  const isCovered = coveredBy(standing);
  // Many patterns are for one folder.
  const opened = new Map<AbsolutePath, Access>();
  for (const { pattern, rule } of lost) {
    for (const one of deniedBy(pattern).filter((each) => !isCovered(each))) {
      const asked = opened.get(one.folder) ?? openedIn(next, one.folder);
      opened.set(one.folder, asked);
      if (allowsMore(asked, "deny")) return { pattern, asked, rule };
    }
  }
  return undefined;
}

/** Whether one of the patterns denies the same from a folder above on, at every depth. */
function coveredBy(standing: readonly GlobRule[]): (denied: Denied) => boolean {
  const deep = standing.flatMap(({ pattern }) => deniedBy(pattern)).filter(({ isDeep }) => isDeep);
  const alike = Map.groupBy(deep, ({ below }) => below);
  return ({ folder, below }) =>
    alike.get(below)?.some((one) => isWithin(folder, one.folder)) === true;
}

function deniedBy(pattern: string): Denied[] {
  return parseGlob(pattern).map((segments) => {
    const first = segments.findIndex(({ kind }) => kind !== "literal");
    const at = first === -1 ? segments.length : first;
    const names = segments.slice(0, at).map((one) => (one.kind === "literal" ? one.name : ""));
    return {
      folder: parseAbsolutePath(`/${names.join("/")}`),
      below: JSON.stringify(segments.slice(at)),
      isDeep: segments[at]?.kind === "globstar",
    };
  });
}

/** What is open in a folder at all: access changes only where an entry names a path. */
function openedIn(profile: BoundProfile, folder: AbsolutePath): Access {
  const entries = profile.files.type === "restricted" ? profile.files.entries : [];
  const places = entries.map(({ path }) => path).filter((path) => isWithin(path, folder));
  const found = [folder, ...places].map((path) => accessTo(profile, path));
  return found.find((access) => allowsMore(access, "deny")) ?? "deny";
}
