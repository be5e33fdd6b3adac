import {
  type AbsolutePath,
  type GlobCursor,
  type GlobRule,
  globCursor,
  isWithin,
} from "../../../policy/index.ts";
import type { FileFacts } from "../../files/file-facts.ts";
import type { GlobMatch } from "../../files/globs/glob-cache.ts";
import { parentOf } from "../../files/parent-of.ts";
import { resolvePath } from "../../files/resolve-path.ts";
import { enterAll } from "./folders-to-pin.ts";

/**
 * What patterns say of a folder above a match, as they reach it: by its own name, or by the links that led to the
 * match. Those stay, or the match would have been refused. Nothing where they lead past the folder.
 */
export function patternsAt(
  folder: AbsolutePath,
  { links, patterns }: Pick<GlobMatch, "links"> & { readonly patterns: GlobCursor },
  facts: FileFacts,
): GlobCursor | undefined {
  let cursor: GlobCursor | undefined = patterns;
  let at = "/" as AbsolutePath;
  for (const link of links) {
    if (!isWithin(link, at)) return undefined;
    cursor = enterAll(cursor, link.slice(at.length));
    at = resolvePath(link, facts).real;
  }
  return isWithin(folder, at) ? enterAll(cursor, folder.slice(at.length)) : undefined;
}

/** Whether patterns deny a real path behind the links that led to matches: also one to which a match was moved since. */
export function deniedBehindLinks(
  globs: readonly GlobRule[],
  matches: readonly GlobMatch[],
  facts: FileFacts,
): (path: AbsolutePath) => boolean {
  const ways = new Map(matches.map(({ links }) => [links.join("\0"), links]));
  ways.delete("");
  if (ways.size === 0) return () => false;
  const patterns = globCursor(globs);
  const all = [...ways.values()];
  const denies = (path: AbsolutePath) =>
    all.some((links) => patternsAt(path, { links, patterns }, facts)?.rule !== undefined);
  return (path) => {
    for (let at = path; at !== "/"; at = parentOf(at)) if (denies(at)) return true;
    return false;
  };
}
