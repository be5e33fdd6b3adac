/** Copies a file, a link or a folder with all that is in it. Links stay links. */
import fs from "node:fs";
import type { AbsolutePath } from "../../policy/index.ts";
import { isWithin } from "../../policy/index.ts";
import { copyFileBytes } from "./file-bytes.ts";
import { FileError, fileErrorOf, osError } from "./file-error.ts";
import { makeFolder } from "./make-folder.ts";
import type { Pause } from "./pause.ts";
import { demandMake, demandRead } from "./places/demand.ts";
import { folderNames } from "./places/folder-names.ts";
import { openContentToWrite } from "./places/open-content.ts";
import type { PathWalk } from "./places/path-walk.ts";
import { contentOf, entryOf, type Name, type Place, pathIn } from "./places/place.ts";

export interface CopySide {
  readonly walk: PathWalk;
  readonly path: AbsolutePath;
  readonly links: "follow" | "refuse";
}

export interface CopyOptions {
  readonly recursive: boolean;
  readonly pause: Pause;
}

const MAX_DEPTH = 512;

/** Copies what is at one path to another. */
export async function copyTree(from: CopySide, to: CopySide, options: CopyOptions): Promise<void> {
  const source = from.walk.find(from.path, { links: from.links, leaf: "itself" });
  const { found } = source;
  if (found === undefined) throw osError("notFound");
  if (found.stats.isDirectory()) {
    if (!options.recursive) {
      throw invalid("fs/copy requires recursive: true when sourcePath is a directory");
    }
    refuseInto(source, to);
    await copyFolder({ from: from.walk, to, pause: options.pause }, source, 0);
  } else if (!(await copyLeaf({ from: from.walk, to, pause: options.pause }, source))) {
    throw invalid("fs/copy only supports regular files, directories, and symlinks");
  }
}

interface Copying {
  readonly from: PathWalk;
  readonly to: CopySide;
  readonly pause: Pause;
}

async function copyFolder(copying: Copying, folder: Place, depth: number): Promise<void> {
  const { from, to, pause } = copying;
  if (depth === MAX_DEPTH) {
    throw new FileError("io", `folders are nested deeper than ${MAX_DEPTH} levels`);
  }
  const names = folderNames(folder, from.view);
  makeFolder(to.walk, { path: to.path, links: to.links, recursive: true });
  for (const name of names) {
    await pause();
    const child = from.child(folder, name);
    const inside = { ...copying, to: below(to, name) };
    try {
      if (child.found?.stats.isDirectory()) await copyFolder(inside, child, depth + 1);
      else await copyLeaf(inside, child);
    } finally {
      from.release(child);
    }
  }
}

/** What was copied before must not become a way elsewhere: below the top, links are refused. */
function below({ walk, path, links }: CopySide, name: Name): CopySide {
  if (typeof name !== "string") {
    throw new FileError("invalid", `the name "${name}" is not UTF-8`);
  }
  const real = walk.at(path, { links, leaf: "follow" }, (place) => place.path);
  return { walk, path: pathIn(real, name), links: "refuse" };
}

/** False for what cannot be copied: pipes, sockets, devices. */
async function copyLeaf(copying: Copying, source: Place): Promise<boolean> {
  const { found } = source;
  if (found === undefined) return false;
  if (found.stats.isSymbolicLink()) copyLink(source, copying.to);
  else if (found.stats.isFile()) await copyFile(copying, source);
  else return false;
  return true;
}

function copyLink(source: Place, { walk, path, links }: CopySide): void {
  walk.at(path, { links, leaf: "itself" }, (place) => {
    if (place.found !== undefined) throw osError("exists");
    demandMake(place, "file", walk.view);
    try {
      fs.symlinkSync(fs.readlinkSync(entryOf(source), "buffer"), entryOf(place));
    } catch (cause) {
      throw fileErrorOf(cause);
    }
  });
}

async function copyFile({ from, to, pause }: Copying, source: Place): Promise<void> {
  const { fd, stats } = demandRead(source, from.view);
  if (isSameFile(to, stats)) return;
  const reading = openNow(contentOf(fd));
  try {
    const writing = openContentToWrite(to.walk, to, "emptied");
    try {
      // Before anything is in it: what is private is so from its first byte, also where the rest never comes.
      if (fs.fstatSync(writing).uid === process.geteuid?.()) {
        fs.fchmodSync(writing, stats.mode & 0o777);
      }
      await copyFileBytes({ from: reading, to: writing, pause });
    } finally {
      fs.closeSync(writing);
    }
  } finally {
    fs.closeSync(reading);
  }
}

/** Opening it for writing would leave nothing to copy. */
function isSameFile({ walk, path, links }: CopySide, { dev, ino }: fs.Stats): boolean {
  const found = walk.at(path, { links, leaf: "follow" }, (place) => place.found);
  return found !== undefined && found.stats.ino === ino && found.stats.dev === dev;
}

function openNow(content: string): number {
  try {
    return fs.openSync(content, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  } catch (cause) {
    throw fileErrorOf(cause);
  }
}

function refuseInto(source: Place, { walk, path, links }: CopySide): void {
  const inside = (at: AbsolutePath) => isWithin(at, source.path);
  if (inside(path) || inside(nearest(walk, path, links))) {
    throw invalid("fs/copy cannot copy a directory to itself or one of its descendants");
  }
}

/** Where the path really leads, or the folder above it that is there. */
function nearest(walk: PathWalk, path: AbsolutePath, links: CopySide["links"]): AbsolutePath {
  try {
    return walk.at(path, { links, leaf: "follow" }, (place) => place.path);
  } catch (error) {
    if (!(error instanceof FileError) || error.code !== "notFound") throw error;
    const above = path.slice(0, path.lastIndexOf("/")) || "/";
    return nearest(walk, above as AbsolutePath, links);
  }
}

function invalid(message: string): FileError {
  return new FileError("invalid", message);
}
