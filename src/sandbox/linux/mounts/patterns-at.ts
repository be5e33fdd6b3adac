import { type AbsolutePath, type GlobCursor, isWithin } from "../../../policy/index.ts";
import type { FileFacts } from "../../files/file-facts.ts";
import type { GlobMatch } from "../../files/globs/glob-cache.ts";
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
