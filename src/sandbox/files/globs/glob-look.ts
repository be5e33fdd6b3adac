/** What one folder means for the patterns: where to go on, what to follow, what is denied. */
import type { GlobEntry } from "./glob-entry.ts";
import type { FolderStamp } from "./glob-stamps.ts";
import type { GlobState } from "./glob-state.ts";

/** A real path, or a link, and how it was reached. */
export interface Place {
  readonly path: string;
  readonly state: GlobState;
  readonly depth: number;
  /** The links on the way; none where the pattern names the place itself. */
  readonly links: readonly string[];
}

export interface GlobLook {
  /** Absent where the folder must be read again next time. */
  readonly stamp: FolderStamp | undefined;
  /** What was read, also where that is not to be believed next time; absent where names were asked for. */
  readonly seen: FolderStamp | undefined;
  readonly entries: number;
  readonly folders: readonly Place[];
  /** A link's target may change while the folder it is in does not, so links are followed each time. */
  readonly links: readonly Place[];
  readonly matches: readonly Place[];
}

/** Sorts the names of a folder. `refuse` is called for a live name that is not UTF-8. */
export function lookThrough(
  entries: readonly GlobEntry[],
  { path, state, depth, links: way }: Place,
  refuse: () => never,
): Omit<GlobLook, "stamp" | "seen"> {
  const [folders, links, matches]: [Place[], Place[], Place[]] = [[], [], []];
  const listFor = (entry: GlobEntry, next: GlobState) =>
    next.rule === undefined ? (entry.isDirectory() ? folders : undefined) : matches;
  for (const entry of entries) {
    const { name } = entry;
    const next = state.next(name);
    if (next === undefined) continue;
    if (isMangled(name)) refuse();
    const list = entry.isSymbolicLink() ? links : listFor(entry, next);
    list?.push({ path: `${path}/${name}`, state: next, depth: depth + 1, links: way });
  }
  return { entries: entries.length, folders, links, matches };
}

/** A name that is not UTF-8 reads as another one, which could not be hidden. */
export function isMangled(name: string): boolean {
  return name.includes("\ufffd");
}

/** Equal for places that mean the same. */
export function keyOf({ path, state }: Place): string {
  return `${state.id} ${path}`;
}
