import { mkdirSync, statSync } from "node:fs";
import path from "node:path";

/**
 * Makes a folder, and what is missing above it, for this user alone.
 *
 * One at a time: Node's own way never ends where nothing can be made and
 * nothing is in the way, as below /proc.
 */
export function makeFolder(folder: string): void {
  if (isFolder(folder)) return;
  const above = path.dirname(folder);
  if (above !== folder) makeFolder(above);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Somebody else may have been faster.
    if (!isFolder(folder)) throw error;
  }
}

function isFolder(folder: string): boolean {
  try {
    return statSync(folder).isDirectory();
  } catch {
    return false;
  }
}
