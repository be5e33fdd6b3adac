/**
 * Tells once when a path that was missing appears, or one that was there is removed.
 *
 * The nearest folder above each path that exists is watched; whatever happens in
 * one of them, the paths are looked at again, under the intent of whoever asked.
 * A path that an intent hides stays missing.
 */
import fs from "node:fs";
import path from "node:path";
import { nativeOfUri, type PathUri } from "../../../policy/index.ts";
import { type FolderWatch, isStill, watchFolder } from "../../../sandbox/index.ts";
import { ExecError } from "../../exec-error.ts";

const MAX_PATHS = 256;
const MAX_WATCHES = 64;
/** Many changes come at once; they are looked at together, and most of the time is left to others. */
const SETTLE_MS = 20;
const SHARE = 10;

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
    this.#paths = all.map((uri) => nativeOfUri(uri) ?? "/");
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

  /** Watches the folders that are nearest now; false where one cannot be watched. */
  #aim(): boolean {
    const wanted = new Set(this.#paths.map(nearestFolder));
    for (const [folder, watcher] of this.#folders) {
      // Another folder may be at its place by now.
      if (wanted.has(folder) && isStill(folder, watcher.identity)) continue;
      watcher.close();
      this.#folders.delete(folder);
    }
    return [...wanted].every((folder) => this.#folders.has(folder) || this.#add(folder));
  }

  #add(folder: string): boolean {
    try {
      // Shared, and rests where more happens than can be told.
      this.#folders.set(
        folder,
        watchFolder(folder, () => this.#stir()),
      );
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
      this.#aim();
      return await this.#hasChanged();
    } catch {
      return true;
    }
  }

  async #hasChanged(): Promise<boolean> {
    const { missing, present, isThere } = this.#watched;
    try {
      if (present !== undefined && !(await isThere(present))) return true;
      const found = await Promise.all(missing.map(isThere));
      return found.includes(true);
    } catch (error) {
      if (error instanceof ExecError) throw error;
      // What cannot be looked at any more has changed.
      return true;
    }
  }
}

/** The folder a path lies in, or the nearest above that is there. What is above a folder is there too. */
function nearestFolder(file: string): string {
  const names = path.dirname(file).split("/").filter(Boolean);
  const above = (count: number) => `/${names.slice(0, count).join("/")}`;
  let [there, missing] = [0, names.length + 1];
  while (missing - there > 1) {
    // The lowest first, since as a rule it is there; then half of what is left is ruled out each time.
    const next = missing > names.length ? names.length : (there + missing) >> 1;
    if (isFolder(above(next))) there = next;
    else missing = next;
  }
  return above(there);
}

/** What is closed, leads in a circle or has a name that is too long is none that could be watched. */
function isFolder(at: string): boolean {
  try {
    return fs.statSync(at, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    return false;
  }
}
