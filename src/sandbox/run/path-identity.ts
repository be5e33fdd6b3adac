import fs from "node:fs";

/** What is not there, or cannot be seen. */
export const MISSING = "missing";

/** What is at a path now. The inode alone may be used again at once; when it was born tells two of them apart. */
export function pathIdentity(path: string): string {
  try {
    const found = fs.lstatSync(path, { throwIfNoEntry: false, bigint: true });
    return found === undefined ? MISSING : `${found.dev}:${found.ino}:${found.birthtimeNs}`;
  } catch {
    return MISSING;
  }
}

/** What each path is now; taken before a start, so that nothing slips in between. */
export function pathIdentities<Path extends string>(paths: readonly Path[]): Map<Path, string> {
  return new Map(paths.map((one) => [one, pathIdentity(one)]));
}
