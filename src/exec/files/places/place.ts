/** A place in the file system, held by descriptors: whatever happens to its path, it stays this one. */
import type { Stats } from "node:fs";
import type { AbsolutePath } from "../../../policy/index.ts";
import type { Sight } from "../../../sandbox/index.ts";

/** A name in a folder; bytes where it is not UTF-8. */
export type Name = string | Buffer;

export interface Place {
  /** Where it really lies, without links. */
  readonly path: AbsolutePath;
  /** The other paths that lead here: a pattern that denies one of them denies the place. */
  readonly aliases: readonly AbsolutePath[];
  /** The folder it lies in, held open; `/` lies in none. */
  readonly folder: Place | undefined;
  readonly name: Name;
  /** What a command would find here. */
  readonly sight: Sight;
  /** What is there, without following a link; nothing if nothing is. */
  readonly found: { readonly fd: number; readonly stats: Stats } | undefined;
  /** The way led through a link at the end of what was asked for. */
  readonly linked: boolean;
  /** Its last name was said by a link, not by whoever asked. */
  readonly planted: boolean;
}

/** The place by way of its opened folder, for calls that open, make or remove it. */
export function entryOf({ folder, name }: Place): string | Buffer {
  if (folder?.found === undefined) return "/";
  const prefix = `/proc/self/fd/${folder.found.fd}/`;
  return typeof name === "string" ? prefix + name : Buffer.concat([Buffer.from(prefix), name]);
}

/** What is at the place itself, for calls that open or list it. */
export function contentOf(fd: number): string {
  return `/proc/self/fd/${fd}`;
}

/** The path of a name in a folder. */
export function pathIn(folder: AbsolutePath, name: Name): AbsolutePath {
  return `${folder === "/" ? "" : folder}/${name}` as AbsolutePath;
}
