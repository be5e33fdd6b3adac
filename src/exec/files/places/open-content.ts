/** Opens what a place holds, once it may be; only regular files, so that nothing waits for a pipe. */
import fs from "node:fs";
import type { AbsolutePath } from "../../../policy/index.ts";
import { FileError, fileErrorOf, osError } from "../file-error.ts";
import { demandMake, demandRead, demandWrite } from "./demand.ts";
import type { PathWalk } from "./path-walk.ts";
import { contentOf, entryOf, type Place } from "./place.ts";

const { O_RDONLY, O_WRONLY, O_NONBLOCK, O_TRUNC, O_CREAT, O_EXCL, O_NOFOLLOW } = fs.constants;
const SET_IDS = 0o6000;
/** How often somebody else may be quicker. */
const ATTEMPTS = 8;

export interface ContentPath {
  readonly path: AbsolutePath;
  readonly links: "follow" | "refuse";
}

/** A descriptor to read a file from. */
export function openContentToRead(walk: PathWalk, { path, links }: ContentPath): number {
  return walk.at(path, { links, leaf: "follow" }, (place) => {
    const { fd, stats } = demandRead(place, walk.view);
    if (stats.isSymbolicLink()) throw osError("loop");
    if (!stats.isFile()) throw notAFile(path);
    return reopen(fd, O_RDONLY);
  });
}

/**
 * A descriptor to write a file with, which is made if need be. What it holds may be kept until all
 * is written: file systems take their time over a file that was emptied first.
 */
export function openContentToWrite(
  walk: PathWalk,
  { path, links }: ContentPath,
  held: "kept" | "emptied",
): number {
  const flags = held === "kept" ? O_WRONLY : O_WRONLY | O_TRUNC;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const opened = walk.at(path, { links, leaf: "follow" }, (place) =>
      place.found === undefined ? openNew(place, walk) : openExisting(walk, place, { path, flags }),
    );
    if (opened !== undefined) return opened;
  }
  throw osError("busy");
}

function openExisting(
  { view }: PathWalk,
  place: Place,
  { path, flags }: { readonly path: AbsolutePath; readonly flags: number },
): number {
  const { fd, stats } = demandWrite(place, view);
  if (stats.isSymbolicLink()) throw osError("loop");
  if (stats.isDirectory()) throw osError("isDirectory");
  if (!stats.isFile()) throw notAFile(path);
  const opened = reopen(fd, flags);
  // The kernel takes these from a file that is written by anybody but root.
  const special = stats.mode & SET_IDS;
  if (view.confines && special !== 0) fs.fchmodSync(opened, stats.mode & 0o1777);
  return opened;
}

/** Nothing where somebody else has just made it. */
function openNew(place: Place, { view }: PathWalk): number | undefined {
  demandMake(place, "file", view);
  // Whoever planted the link would choose what is made.
  if (place.planted) throw osError("loop");
  try {
    const flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_NONBLOCK;
    return fs.openSync(entryOf(place), flags, 0o666);
  } catch (cause) {
    const error = fileErrorOf(cause);
    if (error instanceof FileError && error.code === "exists") return undefined;
    throw error;
  }
}

/** The very file that was looked at, whatever its path leads to by now. */
function reopen(fd: number, flags: number): number {
  try {
    return fs.openSync(contentOf(fd), flags | O_NONBLOCK);
  } catch (cause) {
    throw fileErrorOf(cause);
  }
}

function notAFile(path: AbsolutePath): FileError {
  return new FileError("invalid", `path \`${path}\` is not a file`);
}
