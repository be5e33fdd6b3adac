/**
 * The record of what is held: one file a user of the host, readable by all.
 *
 * Other users must be able to see what somebody still needs before they take
 * it away; only its owner writes it, and no command can.
 */
import fs from "node:fs";
import path from "node:path";

/** One path that sandboxes need, and who they are. */
export interface HeldPath {
  readonly path: string;
  readonly kind: "file" | "folder";
  /** When it was about to be made, in milliseconds; nothing when it was there. */
  readonly madeAfter?: number;
  /** The very thing that was made; nothing when nobody lived to write it down. */
  readonly made?: string;
  /** When somebody began to look whether it can go, in milliseconds: it may be about to be removed. */
  readonly leaving?: number;
  readonly users: readonly string[];
}

export interface PlaceholderRegistry {
  readonly held: Map<string, HeldPath>;
  /** The files it was read from, the newest first; none when nothing is held. */
  readonly files: readonly string[];
  /** Whether it was replaced as often as it was looked for. */
  readonly isMissed?: boolean;
}

/** What other users hold. */
interface HeldElsewhere {
  readonly held: ReadonlyMap<string, readonly HeldPath[]>;
  /** Whether one of them has more on record than is read: anything may be held. */
  readonly isCut: boolean;
}

/**
 * What is held now. A record that cannot be read is empty: it only names what may be removed. One that
 * was replaced since its name was read is looked for again.
 */
export function readPlaceholderRegistry(
  folder: string,
  { mostNames, mostFiles, mostBytes, mostLooks } = OWN,
): PlaceholderRegistry {
  let files = recordsIn(folder, mostNames).slice(0, mostFiles);
  for (let look = 0; look < mostLooks && files.length > 0; look += 1) {
    for (const file of files) {
      const held = parsed(path.join(folder, file), mostBytes);
      if (held !== undefined) return { held, files };
    }
    const now = recordsIn(folder, mostNames).slice(0, mostFiles);
    if (now.join() === files.join()) return { held: new Map(), files };
    files = now;
  }
  return { held: new Map(), files, isMissed: files.length > 0 };
}

/**
 * Replaces the record as a whole: the new one is there before the old one goes, so that a kill
 * leaves one of them. A rename over the old one would do the same, and make the disk write at once.
 */
export function writePlaceholderRegistry(
  folder: string,
  { held, files }: PlaceholderRegistry,
): string[] {
  const written = held.size === 0 ? [] : [`held-${numberOf(files[0]) + 1}.json`];
  for (const file of written) {
    fs.writeFileSync(path.join(folder, file), JSON.stringify([...held.values()]));
    fs.chmodSync(path.join(folder, file), 0o644);
  }
  for (const file of files) fs.rmSync(path.join(folder, file), { force: true });
  return written;
}

/**
 * What the other users of this host say of what they hold, by its path.
 *
 * Their folders are theirs: what lies there may be anything, and must not be followed elsewhere. The
 * worst that a lie can do is to keep a placeholder in place, and us for a moment.
 */
export function heldElsewhere(folder: string): HeldElsewhere {
  const [parent, own] = [path.dirname(folder), path.basename(folder)];
  const all = new Map<string, HeldPath[]>();
  const left = new Map<number, number>();
  let isCut = false;
  for (const name of fs.readdirSync(parent)) {
    const theirs = path.join(parent, name);
    const found = name === own || !/^writ-\d+$/.test(name) ? undefined : foundAt(theirs);
    if (found === undefined) continue;
    // Whoever makes many of them gets no more time of ours than with one.
    const mostBytes = left.get(found.uid) ?? OF_OTHERS.mostBytes;
    const read = readOfOther(theirs, mostBytes);
    for (const one of read.held) all.set(one.path, [...(all.get(one.path) ?? []), one]);
    isCut ||= read.isCut;
    left.set(found.uid, mostBytes - Math.max(FOLDER_BYTES, found.size) - read.bytes);
  }
  return { held: all, isCut };
}

/** What one folder of another user says, and how much that was to read. */
function readOfOther(folder: string, mostBytes: number) {
  if (mostBytes <= 0) return { held: [], isCut: true, bytes: 0 };
  const { held, files, isMissed } = readPlaceholderRegistry(folder, { ...OF_OTHERS, mostBytes });
  const sizes = files.map((file) => foundAt(path.join(folder, file))?.size ?? 0);
  const isCut = isMissed === true || (held.size === 0 && sizes.some((size) => size > mostBytes));
  return { held: [...held.values()], isCut, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

/** What cannot be looked at is nothing. */
function foundAt(place: string): fs.Stats | undefined {
  try {
    return fs.lstatSync(place, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** What is read of a folder at most. In that of another user lies whatever that one likes, beside a file for every living run. */
const OF_OTHERS = { mostNames: 1 << 14, mostFiles: 4, mostBytes: 1 << 20, mostLooks: 4 };
/** What it takes at least to look into a folder, counted as bytes. */
const FOLDER_BYTES = 4096;
const ALL = Number.POSITIVE_INFINITY;
const OWN = { mostNames: ALL, mostFiles: ALL, mostBytes: ALL, mostLooks: 100 };

function recordsIn(folder: string, most: number): string[] {
  try {
    const names = firstNames(folder, most).filter((name) => /^held-\d{1,15}\.json$/.test(name));
    return names.sort((a, b) => numberOf(b) - numberOf(a));
  } catch {
    return [];
  }
}

/** A folder of ours is read at once; of one that is not, no more is read than anybody needs. */
function firstNames(folder: string, most: number): string[] {
  if (most === Number.POSITIVE_INFINITY) return fs.readdirSync(folder);
  const fd = fs.openSync(folder, fs.constants.O_RDONLY | fs.constants.O_DIRECTORY);
  try {
    const opened = `/proc/self/fd/${fd}`;
    return isShort(fd, folder, most) ? fs.readdirSync(opened) : namesOneByOne(opened, most);
  } finally {
    fs.closeSync(fd);
  }
}

/**
 * Whether no more names lie in a folder than one may read: each takes a byte of its size at least. Only
 * the file system that all users share is believed, not one that somebody has brought along.
 */
function isShort(fd: number, folder: string, most: number): boolean {
  const { dev, size } = fs.fstatSync(fd);
  return size > 0 && size <= most && dev === fs.statSync(path.dirname(folder)).dev;
}

/** What does this takes a while to load, so it is for long folders only. */
function namesOneByOne(folder: string, most: number): string[] {
  const names: string[] = [];
  const opened = fs.opendirSync(folder);
  try {
    for (let entry = opened.readSync(); entry !== null; entry = opened.readSync()) {
      if (names.push(entry.name) >= most) break;
    }
    return names;
  } finally {
    opened.closeSync();
  }
}

function numberOf(file: string | undefined): number {
  return Number(/\d+/.exec(file ?? "0")?.[0]);
}

function parsed(file: string, mostBytes: number): Map<string, HeldPath> | undefined {
  try {
    const list: unknown = JSON.parse(plainText(file, mostBytes));
    if (!Array.isArray(list) || !list.every(isHeldPath)) return undefined;
    return new Map(list.map((one) => [one.path, one]));
  } catch {
    return undefined;
  }
}

/** By hand and not by a schema: this is read with every start, and often nothing else needs one. */
function isHeldPath(value: unknown): value is HeldPath {
  const { path: place, kind, users, ...dates } = Object(value) as Record<string, unknown>;
  const { madeAfter, made, leaving } = dates;
  return (
    typeof place === "string" &&
    place.startsWith("/") &&
    (kind === "file" || kind === "folder") &&
    ["undefined", "number"].includes(typeof madeAfter) &&
    ["undefined", "number"].includes(typeof leaving) &&
    ["undefined", "string"].includes(typeof made) &&
    Array.isArray(users) &&
    users.every((user) => typeof user === "string")
  );
}

/** The text of a plain file: not through a link, and without waiting for a pipe that poses as one. */
function plainText(file: string, mostBytes: number): string {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
  const fd = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const found = fs.fstatSync(fd);
    return found.isFile() && found.size <= mostBytes ? fs.readFileSync(fd, "utf8") : "";
  } finally {
    fs.closeSync(fd);
  }
}
