/**
 * Tells once when a path that was missing appears, or one that was there is removed.
 *
 * Each folder that a path leads through is watched; whatever happens to a name on
 * the way, the paths are looked at again, under the intent of whoever asked. A path
 * that an intent hides stays missing. What was there and is another file now, was
 * removed meanwhile.
 */
import fs from "node:fs";
import path from "node:path";
import { nativeOfUri, type PathUri } from "../../../policy/index.ts";
import { type FolderWatch, isStill, watchFolder } from "../../../sandbox/index.ts";
import { ExecError } from "../../exec-error.ts";
import { type Ways, waysTo } from "./ways-to.ts";

const MAX_PATHS = 256;
const MAX_WATCHES = 64;
/** Many changes come at once; they are looked at together, and most of the time is left to others. */
const SETTLE_MS = 20;
const SHARE = 10;
/** How often what happens while watches are made lets them be made anew. */
const MOST_AIMS = 5;

export interface Watched {
  readonly missing: readonly PathUri[];
  readonly present: PathUri | undefined;
  /** Whether something is there, as far as the asker may know. */
  readonly isThere: (path: PathUri) => Promise<boolean>;
}

/** The watches of one connection. Numbers only grow: a newer one stands beside those before it. */
export class FileWatches {
  readonly #changed: (watchId: number) => void;
  readonly #live = new Map<number, Watch>();
  #newest = Number.NEGATIVE_INFINITY;
  #closed = false;

  constructor(changed: (watchId: number) => void) {
    this.#changed = changed;
  }

  /** False where nothing will be told: it has happened already, or is more than can be watched. */
  async watch(watchId: number, watched: Watched): Promise<boolean> {
    const { length } = watched.missing;
    if (watchId <= this.#newest || length === 0 || length > MAX_PATHS) return false;
    this.#newest = watchId;
    if (this.#live.size >= MAX_WATCHES || this.#closed) return false;
    const watch = new Watch(watched, () => {
      if (this.#live.delete(watchId)) this.#changed(watchId);
    });
    this.#live.set(watchId, watch);
    let started = false;
    try {
      started = await watch.start();
    } finally {
      if (!started) this.#live.delete(watchId);
    }
    return started;
  }

  closeAll(): void {
    this.#closed = true;
    for (const watch of this.#live.values()) watch.close();
    this.#live.clear();
  }
}

class Watch {
  readonly #watched: Watched;
  readonly #changed: () => void;
  /** All of them, as this host calls them. */
  readonly #paths: readonly string[];
  readonly #folders = new Map<string, FolderWatch>();
  /** What was present when this began: it may be made again before anybody looks. */
  readonly #present: string | undefined;
  #ways: Ways = new Map();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  /** Something happened after the last look began. */
  #stirred = false;
  /** How long the last look took. */
  #took = 0;

  constructor(watched: Watched, changed: () => void) {
    const { missing, present } = watched;
    const all = present === undefined ? missing : [...missing, present];
    this.#watched = watched;
    this.#changed = changed;
    this.#paths = all.map(nativeOf);
    this.#present = present && identityOf(present);
  }

  /** Watches first and looks then, so that nothing falls between the two. Throws where the intent is refused. */
  async start(): Promise<boolean> {
    let holds = false;
    try {
      holds = this.#aim() && !(await this.#hasChanged());
    } finally {
      if (!holds) this.close();
    }
    return !this.#closed;
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const watcher of this.#folders.values()) watcher.close();
    this.#folders.clear();
  }

  /**
   * Watches the folders on the way now; false where one cannot be watched. Until the ways have stayed
   * the same meanwhile: what is made before its folder is watched is told by nobody.
   */
  #aim(): boolean {
    for (let count = 0; count < MOST_AIMS; count += 1) {
      const all = waysTo(this.#paths);
      if (all === undefined) return false;
      const ways = new Map([...all].filter(([folder, names]) => !isShut(folder, names, all)));
      this.#ways = ways;
      if (this.#isAimed()) return true;
      this.#leave();
      if (![...ways.keys()].every((folder) => this.#folders.has(folder) || this.#add(folder))) {
        return false;
      }
    }
    return false;
  }

  #isAimed(): boolean {
    if (this.#folders.size !== this.#ways.size) return false;
    return [...this.#folders].every(([folder, watcher]) => this.#isOnTheWay(folder, watcher));
  }

  /** Another folder may be at its place by now. */
  #isOnTheWay(folder: string, watcher: FolderWatch): boolean {
    return this.#ways.has(folder) && isStill(folder, watcher.identity);
  }

  #leave(): void {
    for (const [folder, watcher] of this.#folders) {
      if (this.#isOnTheWay(folder, watcher)) continue;
      watcher.close();
      this.#folders.delete(folder);
    }
  }

  #add(folder: string): boolean {
    try {
      // Shared, and rests where more happens than can be told.
      const watcher = watchFolder(folder, (_, name) => {
        if (name === undefined || this.#ways.get(folder)?.has(name)) this.#stir();
      });
      this.#folders.set(folder, watcher);
      return true;
    } catch {
      return false;
    }
  }

  #stir(): void {
    this.#stirred = true;
    if (this.#closed || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => void this.#look(), Math.max(SETTLE_MS, SHARE * this.#took));
  }

  async #look(): Promise<void> {
    const start = performance.now();
    this.#stirred = false;
    const changed = await this.#aimAndLook();
    if (this.#closed) return;
    if (changed) {
      this.close();
      this.#changed();
      return;
    }
    this.#took = performance.now() - start;
    this.#timer = undefined;
    if (this.#stirred) this.#stir();
  }

  /** Whoever asked is told when it cannot be looked at any more, and learns why by asking again. */
  async #aimAndLook(): Promise<boolean> {
    try {
      return !this.#aim() || (await this.#hasChanged());
    } catch {
      return true;
    }
  }

  async #hasChanged(): Promise<boolean> {
    const { missing, present, isThere } = this.#watched;
    try {
      if (present !== undefined && !(await isThere(present))) return true;
      if (present !== undefined && identityOf(present) !== this.#present) return true;
      const found = await Promise.all(missing.map(isThere));
      return found.includes(true);
    } catch (error) {
      if (error instanceof ExecError) throw error;
      // What cannot be looked at any more has changed.
      return true;
    }
  }
}

/**
 * Whether a folder is somebody else's and may only be passed through, as the one above all homes may be: it
 * cannot be watched, and nobody here can change what lies in it.
 */
function isShut(folder: string, names: ReadonlySet<string>, ways: Ways): boolean {
  if (may(folder, fs.constants.R_OK) || may(folder, fs.constants.W_OK)) return false;
  const isOwn = fs.statSync(folder, { throwIfNoEntry: false })?.uid === process.getuid?.();
  return !isOwn && [...names].every((name) => ways.has(path.join(folder, name)));
}

function may(folder: string, mode: number): boolean {
  try {
    fs.accessSync(folder, mode);
    return true;
  } catch {
    return false;
  }
}

function nativeOf(uri: PathUri): string {
  return nativeOfUri(uri) ?? "/";
}

/** Numbers of files are given again; together with when it was made it is that of no other. */
function identityOf(uri: PathUri): string | undefined {
  try {
    const { dev, ino, birthtimeNs } = fs.statSync(nativeOf(uri), { bigint: true });
    return `${dev}:${ino}:${birthtimeNs}`;
  } catch {
    return undefined;
  }
}
