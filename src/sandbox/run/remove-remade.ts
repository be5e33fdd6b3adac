import fs from "node:fs";
import path from "node:path";

/** Clocks of file systems tick every few milliseconds. */
const TICKS_MS = 20;
/** How bubblewrap makes a file to mount on. */
const MADE_MODE = 0o444;

/**
 * Takes away what the back-end made to mount on in the place of what was gone by then: an empty file
 * or folder, and the folders on the way to it. Anything else that came in their place is somebody's.
 */
export function removeRemade(points: readonly string[], sinceMs: number): void {
  for (const point of points) removeUp(point, sinceMs - TICKS_MS);
}

function removeUp(point: string, bornAfter: number): void {
  try {
    for (let at = point; ; at = path.dirname(at)) {
      const found = fs.lstatSync(at);
      if (found.birthtimeMs < bornAfter) return;
      if (found.isDirectory()) fs.rmdirSync(at);
      else if (isMade(found)) fs.unlinkSync(at);
      else return;
    }
  } catch {
    // There is nothing, or somebody put something into the folder.
  }
}

function isMade(found: fs.Stats): boolean {
  return found.isFile() && found.size === 0 && (found.mode & 0o777) === MADE_MODE;
}
