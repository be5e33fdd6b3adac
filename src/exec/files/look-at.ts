/** What is at a path, and what it is called without links. */
import type { Stats } from "node:fs";
import type { AbsolutePath } from "../../policy/index.ts";
import { FileError, osError } from "./file-error.ts";
import type { FileMetadata, FolderEntry } from "./file-operations.ts";
import { MAX_ENTRIES } from "./max-entries.ts";
import type { Pause } from "./pause.ts";
import { folderNames } from "./places/folder-names.ts";
import { type FindOptions, isOpenLink, type PathWalk } from "./places/path-walk.ts";
import type { Name, Place } from "./places/place.ts";

export interface LookPath {
  readonly path: AbsolutePath;
  readonly links: FindOptions["links"];
}

/** What is there; where it is a link, what that leads to. */
export function lookAt(walk: PathWalk, { path, links }: LookPath): FileMetadata {
  const place = walk.find(path, { links, leaf: "follow" });
  const { found, linked } = place;
  if (found === undefined) throw osError("notFound");
  if (found.stats.isSymbolicLink()) throw containsLink();
  return metadataOf(place, found.stats, linked);
}

/** The path without links. */
export function realPathOf(walk: PathWalk, { path, links }: LookPath): AbsolutePath {
  const place = walk.find(path, { links, leaf: "follow" });
  if (place.found === undefined) throw osError("notFound");
  return place.path;
}

/** Everything in a folder, links as what they lead to and without those that lead nowhere. */
export async function listFolder(
  walk: PathWalk,
  { path, links }: LookPath,
  pause: Pause,
): Promise<FolderEntry[]> {
  const folder = walk.find(path, { links, leaf: "follow" });
  const names = folderNames(folder, walk.view, MAX_ENTRIES);
  if (names.length > MAX_ENTRIES) {
    throw new FileError("tooMany", `directory has more than ${MAX_ENTRIES} entries`);
  }
  const entries: FolderEntry[] = [];
  for (const name of names) {
    await pause();
    const entry = entryFor(walk, folder, name);
    if (entry !== undefined) entries.push(entry);
  }
  return entries;
}

export function containsLink(): FileError {
  return new FileError("invalid", "path contains a symbolic link");
}

function entryFor(walk: PathWalk, folder: Place, name: Name): FolderEntry | undefined {
  return quietly(() => {
    const place = walk.child(folder, name);
    try {
      return isOpenLink(place) ? entryBehind(walk, place) : entryOf(place, name);
    } finally {
      walk.release(place);
    }
  });
}

function entryBehind(walk: PathWalk, { path, aliases, name }: Place): FolderEntry | undefined {
  const [alias] = aliases;
  const options = { links: "follow", leaf: "follow", ...(alias && { alias }) } as const;
  return walk.at(path, options, (target) => entryOf(target, name));
}

function entryOf(place: Place, name: Name): FolderEntry | undefined {
  if (place.found === undefined) return undefined;
  const { isDirectory, isFile } = metadataOf(place, place.found.stats, false);
  return { fileName: name.toString(), isDirectory, isFile };
}

/** What cannot be looked at is not there for whoever looks. */
function quietly<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (error instanceof FileError) return undefined;
    throw error;
  }
}

/** A command sees a stand-in for what is hidden, and nothing of its size and times. */
function metadataOf({ sight }: Place, stats: Stats, isSymlink: boolean): FileMetadata {
  const isDirectory = stats.isDirectory();
  if (sight.kind !== "open") {
    return { isDirectory, isFile: false, isSymlink, size: 0, createdAtMs: 0, modifiedAtMs: 0 };
  }
  return {
    isDirectory,
    isFile: stats.isFile(),
    isSymlink,
    size: stats.size,
    createdAtMs: Math.max(0, Math.floor(stats.birthtimeMs)),
    modifiedAtMs: Math.max(0, Math.floor(stats.mtimeMs)),
  };
}
