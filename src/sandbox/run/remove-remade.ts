import fs from "node:fs";
import type { AbsolutePath } from "../../policy/index.ts";
import { parentOf } from "../files/parent-of.ts";
import { RealPaths } from "../files/real-paths.ts";
import { pathIdentity } from "./path-identity.ts";

/** Clocks of file systems tick every few milliseconds. */
const TICKS_MS = 20;
/** How bubblewrap makes a file to mount on. */
const MADE_MODE = 0o444;

export interface Remade {
  /** What was at each path when the back-end was started; see `pathIdentities`. */
  readonly before: ReadonlyMap<AbsolutePath, string>;
  /** When that was. */
  readonly sinceMs: number;
}

/**
 * Takes away what the back-end made to mount on in the place of what was gone by then: an empty file
 * or folder, and the folders on the way to it. Anything else that came in their place is somebody's.
 */
export function removeRemade({ before, sinceMs }: Remade): void {
  for (const point of before.keys()) {
    const paths = new RealPaths();
    try {
      removeUp(point, { paths, before, bornAfter: sinceMs - TICKS_MS });
    } catch {
      // There is nothing, or somebody put something into the folder.
    } finally {
      paths.close();
    }
  }
}

interface Removal extends Pick<Remade, "before"> {
  readonly paths: RealPaths;
  readonly bornAfter: number;
}

function removeUp(point: AbsolutePath, { paths, before, bornAfter }: Removal): void {
  for (let at = point; at !== "/"; at = parentOf(at)) {
    const entry = paths.entry(at);
    if (pathIdentity(entry) === before.get(at)) return;
    const found = fs.lstatSync(entry);
    if (found.birthtimeMs < bornAfter || found.uid !== process.getuid?.()) return;
    if (found.isDirectory()) fs.rmdirSync(entry);
    else if (isMade(found)) fs.unlinkSync(entry);
    else return;
  }
}

function isMade(found: fs.Stats): boolean {
  return found.isFile() && found.size === 0 && (found.mode & 0o777) === MADE_MODE;
}
