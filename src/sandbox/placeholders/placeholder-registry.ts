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
  { mostNames, mostBytes } = OWN,
): PlaceholderRegistry {
  let files = recordsIn(folder, mostNames);
  for (let look = 0; look < MOST_LOOKS && files.length > 0; look += 1) {
    for (const file of files) {
      const held = parsed(path.join(folder, file), mostBytes);
      if (held !== undefined) return { held, files };
    }
    const now = recordsIn(folder, mostNames);
    if (now.join() === files.join()) break;
    files = now;
  }
  return { held: new Map(), files };
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
  let isCut = false;
  for (const name of fs.readdirSync(parent)) {
    if (name === own || !/^writ-\d+$/.test(name)) continue;
    const theirs = path.join(parent, name);
    const { held, files } = readPlaceholderRegistry(theirs, OF_OTHERS);
    for (const one of held.values()) all.set(one.path, [...(all.get(one.path) ?? []), one]);
    isCut ||= held.size === 0 && files.some((file) => isTooLong(path.join(theirs, file)));
  }
  return { held: all, isCut };
}

/** One that cannot be looked at is none. */
function isTooLong(file: string): boolean {
  try {
    return fs.lstatSync(file).size > OF_OTHERS.mostBytes;
  } catch {
    return false;
  }
}

/** What is read of a folder at most. In that of another user lies whatever that one likes, beside a file for every living run. */
const OF_OTHERS = { mostNames: 1 << 14, mostBytes: 1 << 20 };
const OWN = { mostNames: Number.POSITIVE_INFINITY, mostBytes: Number.POSITIVE_INFINITY };
const MOST_LOOKS = 100;

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
