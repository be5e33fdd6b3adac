/**
 * Loads configuration again and again, and parses a file once. While no file changes it is one and the same.
 *
 * What was read is kept under everything that tells one state of a file from
 * another, asked of the opened file at each load. A file that changed a moment
 * ago is not kept: within one tick of a clock it can change without a trace.
 */
import fs from "node:fs";
import path from "node:path";
import { type Config, type ConfigPlaces, layerConfig } from "./load-config.ts";
import { linkToNothing } from "./read-bounded-file.ts";
import {
  type ConfigFiles,
  type ConfigReaders,
  readConfigFiles,
  TABLE_READERS,
} from "./read-config-files.ts";
import { readTomlFile, type TomlTable } from "./read-toml-file.ts";
import { readUserTable, type UserTable, userFileOf } from "./read-user-table.ts";
import type { UserSettings } from "./settings/read-settings.ts";

export interface ConfigLoader {
  /** The same as `loadConfig`, for whoever asks often. */
  load(places: ConfigPlaces): Promise<Config>;
  /** What the user's file alone says beside policies, for whoever needs nothing else. */
  settings(writHome: string): Promise<UserSettings>;
}

/** How long a file must have rested: longer than the coarsest clock of a file system ticks. */
const RESTED_MS = 3000;
/** A server sees many projects; forgetting all of them costs a parse each. */
const MOST_KEPT = 256;

/** Makes a loader that sees a changed file at the next load; `now` is the clock that files are stamped by. */
export function createConfigLoader(now: () => number = Date.now): ConfigLoader {
  const readers: ConfigReaders = {
    user: orEmpty(kept(TABLE_READERS.user, now)),
    project: kept(TABLE_READERS.project, now),
    requirements: kept(TABLE_READERS.requirements, now),
  };
  const layered = new Map<string, { readonly files: ConfigFiles; readonly config: Config }>();
  return {
    async load(places) {
      const files = await readConfigFiles(places, readers);
      if (Object.keys(places.overrides ?? {}).length > 0) return layerConfig(files, places);
      const { writHome, folder, requirements, hostname } = places;
      const name = JSON.stringify([writHome, folder, requirements, hostname]);
      const known = layered.get(name);
      if (known !== undefined && areSame(known.files, files)) return known.config;
      const config = await layerConfig(files, places);
      if (layered.size >= MOST_KEPT) layered.clear();
      layered.set(name, { files, config });
      return config;
    },
    settings: async (writHome) => (await readers.user(userFileOf(writHome))).settings,
  };
}

function areSame(one: ConfigFiles, { user, project, requirements }: ConfigFiles): boolean {
  return one.user === user && one.project === project && one.requirements === requirements;
}

/** One and the same each time that there is no file. */
function orEmpty(read: (file: string) => Promise<UserTable | undefined>): ConfigReaders["user"] {
  let empty: { readonly file: string; readonly table: UserTable } | undefined;
  return async (file) => {
    const found = await read(file);
    if (found !== undefined) return found;
    if (empty?.file !== file) empty = { file, table: await readUserTable(file, {}) };
    return empty.table;
  };
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
    if (fs.lstatSync(file, { throwIfNoEntry: false }) === undefined) {
      return linkToNothing(path.dirname(file)) === undefined ? "missing" : NO_FILE;
    }
    return fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  } catch {
    return NO_FILE;
  }
}
