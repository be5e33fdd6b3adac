import type { AbsolutePath, GlobCursor } from "../../../policy/index.ts";
import type { WayFolder } from "./way-to.ts";

/**
 * The folders above a match that must stay where they are; `patterns` are those at the mount that all of them lie in.
 *
 * A command may move each one that is not pinned, deepest first as they are given, to any place in the mount that it
 * lies in, and others on the way besides. Where a pattern spans that mount it denies the match in the new place as
 * well; any other folder is pinned, which makes a mount of its own of it.
 */
export function foldersToPin(
  match: AbsolutePath,
  way: readonly WayFolder[],
  patterns: GlobCursor | undefined,
): AbsolutePath[] {
  const pins: AbsolutePath[] = [];
  // What holds below a folder wherever those above it were moved.
  let here = patterns;
  let spanning = here?.spanning;
  for (const { path, isPinned } of way.toReversed()) {
    if (!isPinned && denies(spanning, match.slice(path.length))) here = spanning;
    else {
      if (!isPinned) pins.push(path);
      here = here?.enter(path.slice(path.lastIndexOf("/") + 1));
      spanning = here?.spanning;
    }
  }
  return pins;
}

function denies(patterns: GlobCursor | undefined, path: string): boolean {
  return enterAll(patterns, path)?.rule !== undefined;
}

/** The names of a path one by one; nothing when no pattern can match there. */
export function enterAll(from: GlobCursor | undefined, path: string): GlobCursor | undefined {
  let cursor = from;
  for (const name of path.split("/").filter(Boolean)) cursor = cursor?.enter(name);
  return cursor;
}
