/**
 * Finds what deny patterns match on this disk.
 *
 * Patterns hold at every depth, so the walk looks at every depth; a profile's
 * `globScanMaxDepth` is not asked (see docs/decisions/0003-globs.md). Who looks
 * again and again under the same patterns keeps a `GlobCache`.
 */
import type { GlobRule } from "../../../policy/index.ts";
import type { WalkBounds } from "./glob-budget.ts";
import { GlobCache, type GlobMatch } from "./glob-cache.ts";

export { WALK_BOUNDS, type WalkBounds } from "./glob-budget.ts";
export { GlobCache, type GlobMatch } from "./glob-cache.ts";

/** Every real path that a pattern denies, folders before what is in them. */
export function expandGlobs(globs: readonly GlobRule[], bounds: WalkBounds): GlobMatch[] {
  return new GlobCache({ places: 0 }).expand(globs, bounds);
}
