import { parseGlob } from "./glob.ts";
import { type GlobCursor, type GlobRule, GlobTree } from "./glob-tree.ts";

/** A walk through a disk in search of what patterns deny; it says where looking is no use. */
export function globCursor(globs: readonly GlobRule[]): GlobCursor {
  return globTreeOf(globs).cursor();
}

/** All patterns as one tree, their alternatives one by one. */
export function globTreeOf(globs: readonly GlobRule[]): GlobTree {
  const tree = new GlobTree();
  for (const rule of globs) {
    for (const segments of parseGlob(rule.pattern)) tree.add(segments, rule);
  }
  return tree;
}
