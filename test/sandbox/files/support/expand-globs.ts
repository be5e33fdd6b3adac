import type { GlobRule } from "../../../../src/policy/index.ts";
import type { WalkBounds } from "../../../../src/sandbox/files/globs/glob-budget.ts";
import { GlobCache, type GlobMatch } from "../../../../src/sandbox/files/globs/glob-cache.ts";

/** Every real path that a pattern denies, by whoever remembers nothing. */
export function expandGlobs(globs: readonly GlobRule[], bounds: WalkBounds): GlobMatch[] {
  return new GlobCache({ places: 0 }).expand(globs, bounds);
}
