import type { PathUri } from "../../policy/index.ts";

/** How far a walk through folders goes. */
export interface WalkOptions {
  readonly maxDepth: number;
  readonly maxDirectories: number;
  readonly maxEntries: number;
  readonly followDirectorySymlinks: boolean;
  readonly pruneHiddenDirectories: boolean;
}

/** What a walk found, and where it could not look. */
export interface Walked {
  readonly entries: readonly { readonly path: PathUri; readonly kind: "file" | "directory" }[];
  readonly errors: readonly { readonly path: PathUri; readonly message: string }[];
  readonly truncated: boolean;
}
