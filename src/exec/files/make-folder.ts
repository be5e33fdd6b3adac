import fs from "node:fs";
import type { AbsolutePath } from "../../policy/index.ts";
import { FileError, fileErrorOf, osError } from "./file-error.ts";
import { demandMake } from "./places/demand.ts";
import type { PathWalk } from "./places/path-walk.ts";
import { entryOf, type Place } from "./places/place.ts";

export interface FolderPath {
  readonly path: AbsolutePath;
  readonly links: "follow" | "refuse";
  /** Whether what is missing on the way is made too; then a folder that is there is no error. */
  readonly recursive: boolean;
}

/** Makes a folder. */
export function makeFolder(walk: PathWalk, { path, links, recursive }: FolderPath): void {
  if (!recursive) {
    walk.at(path, { links, leaf: "itself" }, (place) => {
      if (place.found !== undefined) throw osError("exists");
      makeOne(walk, place);
    });
    return;
  }
  const make = (missing: Place) => makeUnlessThere(walk, missing);
  const found = walk.at(path, { links, leaf: "follow", make }, (place) => place.found);
  // A link that leads nowhere is something all the same.
  if (found === undefined) throw osError("exists");
  if (found.stats.isSymbolicLink()) throw osError("notDirectory");
  if (!found.stats.isDirectory()) throw osError("exists");
}

/** Makes a folder where nothing is. */
function makeOne({ view }: PathWalk, place: Place): void {
  demandMake(place, "folder", view);
  try {
    fs.mkdirSync(entryOf(place), 0o777);
  } catch (cause) {
    throw fileErrorOf(cause);
  }
}

/** Two may make the same folders at once. */
function makeUnlessThere(walk: PathWalk, place: Place): void {
  try {
    makeOne(walk, place);
  } catch (error) {
    if (!(error instanceof FileError) || error.code !== "exists") throw error;
  }
}
