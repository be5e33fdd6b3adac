import type { Manifest, ManifestEntry } from "./manifest.ts";

/** What turns one into the other. A file whose mode is another is written again. */
export interface ManifestChange {
  readonly write: readonly string[];
  readonly remove: readonly string[];
}

/** Pure. */
export function diffManifests(have: Manifest, want: Manifest): ManifestChange {
  const isSame = (path: string, { digest, isExecutable }: ManifestEntry) => {
    const there = have.get(path);
    return there?.digest === digest && there.isExecutable === isExecutable;
  };
  return {
    write: [...want].filter(([path, entry]) => !isSame(path, entry)).map(([path]) => path),
    remove: [...have.keys()].filter((path) => !want.has(path)),
  };
}
