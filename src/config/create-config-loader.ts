/**
 * Loads configuration again and again, and parses a file once.
 *
 * What was read is kept under everything that tells one state of a file from
 * another, asked of the opened file at each load. A file that changed a moment
 * ago is not kept: within one tick of a clock it can change without a trace.
 */
import fs from "node:fs";
import {
  type Config,
  type ConfigPlaces,
  type ConfigReaders,
  loadConfig,
  TABLE_READERS,
} from "./load-config.ts";
import { linkToNothing } from "./read-bounded-file.ts";
import { readTomlFile, type TomlTable } from "./read-toml-file.ts";

export interface ConfigLoader {
  /** The same as `loadConfig`, for whoever asks often. */
  load(places: ConfigPlaces): Promise<Config>;
}

/** How long a file must have rested: longer than the coarsest clock of a file system ticks. */
const RESTED_MS = 3000;
/** A server sees many projects; forgetting all of them costs a parse each. */
const MOST_KEPT = 256;

/** Makes a loader that sees a changed file at the next load; `now` is the clock that files are stamped by. */
export function createConfigLoader(now: () => number = Date.now): ConfigLoader {
  const readers: ConfigReaders = {
    user: kept(TABLE_READERS.user, now),
    project: kept(TABLE_READERS.project, now),
    requirements: kept(TABLE_READERS.requirements, now),
  };
  return { load: (places) => loadConfig(places, readers) };
}

function kept<T>(
  read: (file: string, table: TomlTable) => Promise<T | undefined>,
  now: () => number,
): (file: string) => Promise<T | undefined> {
  const known = new Map<string, { readonly state: string; readonly value: T | undefined }>();
  return async (file) => {
    const before = stateOf(file);
    if (before === "missing") {
      known.delete(file);
      return undefined;
    }
    const found = known.get(file);
    if (found !== undefined && found.state === before.state) return found.value;
    known.delete(file);
    const table = await readTomlFile(file);
    const value = table && (await read(file, table));
    if (now() - before.changedMs > RESTED_MS && isStill(before, stateOf(file))) {
      if (known.size >= MOST_KEPT) known.clear();
      known.set(file, { state: before.state, value });
    }
    return value;
  };
}

interface FileState {
  readonly state: string;
  readonly changedMs: number;
}

/** What no file has: it is never kept, and the reader says what is wrong. */
const NO_FILE: FileState = { state: "", changedMs: Number.POSITIVE_INFINITY };

function isStill({ state }: FileState, now: FileState | "missing"): boolean {
  return now !== "missing" && now.state === state;
}

/** Opens the file to look at it: only that asks the server of a network file system. */
function stateOf(file: string): FileState | "missing" {
  const fd = opened(file);
  if (typeof fd !== "number") return fd;
  try {
    const found = fs.fstatSync(fd, { bigint: true });
    const { dev, ino, size, mtimeNs, ctimeNs } = found;
    if (!found.isFile()) return NO_FILE;
    return { state: [dev, ino, size, mtimeNs, ctimeNs].join(), changedMs: Number(found.ctimeMs) };
  } finally {
    fs.closeSync(fd);
  }
}

function opened(file: string): number | FileState | "missing" {
  try {
    // Most of the files that are looked for are not there, and an error for each costs more than the look.
    if (fs.statSync(file, { throwIfNoEntry: false }) === undefined) {
      return linkToNothing(file) === undefined ? "missing" : NO_FILE;
    }
    return fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    return code === "ENOENT" || code === "ENOTDIR" ? "missing" : NO_FILE;
  }
}
