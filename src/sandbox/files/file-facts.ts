/**
 * What a planner may ask of the file system.
 *
 * Planners are pure: they get the answers, not the disk. `realFileFacts` asks
 * this host; tests hand in a tree of their own.
 */
import { lstatSync, readlinkSync } from "node:fs";
import type { AbsolutePath, GlobRule } from "../../policy/index.ts";
import { expandGlobs, type GlobMatch, WALK_BOUNDS } from "./expand-globs.ts";

export type FileKind = "directory" | "file" | "link" | "special" | "missing";

export interface FileFacts {
  /** What is at the path itself; a link is a link. */
  kindOf(path: AbsolutePath): FileKind;
  /** What a link says, as it is written. */
  linkAt(path: AbsolutePath): string;
  /** Every real path that one of the patterns denies. */
  matchesOf(globs: readonly GlobRule[]): readonly GlobMatch[];
}

/** The answers of this host, each asked for once. */
export function realFileFacts(): FileFacts {
  const kinds = new Map<AbsolutePath, FileKind>();
  return {
    kindOf(path) {
      const kind = kinds.get(path) ?? lookAt(path);
      kinds.set(path, kind);
      return kind;
    },
    linkAt: (path) => readlinkSync(path),
    matchesOf: (globs) => expandGlobs(globs, WALK_BOUNDS),
  };
}

function lookAt(path: AbsolutePath): FileKind {
  const found = statOrMissing(path);
  if (found === undefined) return "missing";
  if (found.isSymbolicLink()) return "link";
  if (found.isDirectory()) return "directory";
  return found.isFile() ? "file" : "special";
}

/** A file in the place of a folder means that nothing can be below it. */
function statOrMissing(path: AbsolutePath) {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOTDIR") return undefined;
    throw error;
  }
}
