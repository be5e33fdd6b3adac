/** Takes away a file, a link or a folder with all that is in it. No link is ever followed. */
import fs from "node:fs";
import { FileError, fileErrorOf, osError } from "./file-error.ts";
import { containsLink } from "./look-at.ts";
import type { FolderPath } from "./make-folder.ts";
import type { Pause } from "./pause.ts";
import { demandRemove } from "./places/demand.ts";
import { folderNames } from "./places/folder-names.ts";
import type { PathWalk } from "./places/path-walk.ts";
import { entryOf, type Place } from "./places/place.ts";

/** Every level holds a descriptor. */
const MAX_DEPTH = 512;

export interface RemovePath extends FolderPath {
  /** Whether what is missing already is no error. */
  readonly force: boolean;
}

/** Takes it away. What a command could not take away stays, and is an error. */
export async function removeTree(walk: PathWalk, asked: RemovePath, pause: Pause): Promise<void> {
  const place = findIt(walk, asked);
  if (place?.found === undefined) {
    if (asked.force) return;
    throw osError("notFound");
  }
  if (asked.links === "refuse" && place.found.stats.isSymbolicLink()) throw containsLink();
  await removePlace({ walk, pause, recursive: asked.recursive }, place, 0);
}

function findIt(walk: PathWalk, { path, links }: RemovePath): Place | undefined {
  try {
    return walk.find(path, { links, leaf: "itself" });
  } catch (error) {
    if (error instanceof FileError && error.code === "notFound") return undefined;
    throw error;
  }
}

interface Removal {
  readonly walk: PathWalk;
  readonly pause: Pause;
  readonly recursive: boolean;
}

async function removePlace(removal: Removal, place: Place, depth: number): Promise<void> {
  const { walk, recursive } = removal;
  const isFolder = place.found?.stats.isDirectory() ?? false;
  if (isFolder && recursive) await empty(removal, place, depth);
  demandRemove(place, walk.view);
  try {
    if (isFolder) fs.rmdirSync(entryOf(place));
    else fs.unlinkSync(entryOf(place));
  } catch (cause) {
    throw fileErrorOf(cause);
  }
}

async function empty(removal: Removal, folder: Place, depth: number): Promise<void> {
  const { walk, pause } = removal;
  if (depth === MAX_DEPTH) {
    throw new FileError("io", `folders are nested deeper than ${MAX_DEPTH} levels`);
  }
  for (const name of folderNames(folder, walk.view)) {
    await pause();
    const child = walk.child(folder, name);
    try {
      if (child.found !== undefined) await removePlace(removal, child, depth + 1);
    } finally {
      walk.release(child);
    }
  }
}
