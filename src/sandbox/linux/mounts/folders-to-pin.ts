import type { AbsolutePath, GlobCursor } from "../../../policy/index.ts";
import { parentOf } from "../../files/parent-of.ts";

/**
 * The folders above a match that must stay where they are.
 *
 * A command may move each of the `loose` ones, deepest first as they are given, to any place in the mount that it lies
 * in. Where a pattern spans that mount it denies the match in the new place as well; any other folder is pinned, which
 * makes a mount of its own of it.
 */
export function foldersToPin(
  match: AbsolutePath,
  loose: readonly AbsolutePath[],
  patterns: GlobCursor,
): AbsolutePath[] {
  const pins: AbsolutePath[] = [];
  const top = loose.at(-1);
  let spanning = top && enter(patterns, parentOf(top))?.spanning;
  for (const folder of loose.toReversed()) {
    if (denies(spanning, match.slice(folder.length))) continue;
    pins.push(folder);
    spanning = enter(patterns, folder)?.spanning;
  }
  return pins;
}

function enter(patterns: GlobCursor, path: string): GlobCursor | undefined {
  let cursor: GlobCursor | undefined = patterns;
  for (const name of path.split("/").filter(Boolean)) cursor = cursor?.enter(name);
  return cursor;
}

function denies(patterns: GlobCursor | undefined, path: string): boolean {
  return patterns !== undefined && enter(patterns, path)?.rule !== undefined;
}
