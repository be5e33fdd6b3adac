import fs from "node:fs";

/**
 * Whether nothing is at a path any more. What is being removed loses its mounts first, for
 * milliseconds in which it can still be seen, with no name left to it.
 */
export function isGone(path: string): boolean {
  try {
    return (fs.lstatSync(path, { throwIfNoEntry: false })?.nlink ?? 0) === 0;
  } catch {
    return true; // What this user cannot look at, its commands cannot reach.
  }
}
