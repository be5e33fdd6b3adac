/** Asks the disk for one folder or link of a walk, without more names than the walk may look at. */
import fs from "node:fs";
import { isGone, unlessGone } from "../unless-gone.ts";

/** A name in a folder, and what it is. */
export interface GlobEntry {
  readonly name: string;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

const CHUNK = 1024;

/** All names of a folder that is known to be small. */
export function readSmallFolder(path: string): GlobEntry[] {
  return unlessGone(() => fs.readdirSync(path, { withFileTypes: true })) ?? [];
}

/** The same while others work on. */
export function readSmallFolderAside(
  path: string,
  done: (error: Error | null, entries: readonly GlobEntry[]) => void,
): void {
  fs.readdir(path, { withFileTypes: true }, (error, entries) =>
    done(isGone(error) ? null : error, entries ?? []),
  );
}

/** At most one name more than `most`, so that a folder with millions of them costs no memory. */
export function readLargeFolder(path: string, most: number): GlobEntry[] {
  const entries: GlobEntry[] = [];
  const folder = unlessGone(() => fs.opendirSync(path, { bufferSize: CHUNK }));
  try {
    for (let entry = folder?.readSync(); entry && entries.length <= most; ) {
      entries.push(entry);
      entry = folder?.readSync();
    }
  } finally {
    folder?.closeSync();
  }
  return entries;
}

/** Those of the names that are there. */
export function readNames(path: string, names: readonly string[]): GlobEntry[] {
  return names.flatMap((name) => {
    const found = unlessGone(() => fs.lstatSync(`${path}/${name}`));
    return found === undefined
      ? []
      : [
          {
            name,
            isDirectory: () => found.isDirectory(),
            isSymbolicLink: () => found.isSymbolicLink(),
          },
        ];
  });
}
