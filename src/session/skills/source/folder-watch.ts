/**
 * Says when something happens in folders, or when one appears that is not there yet.
 *
 * Events of the system are hints: they come in bursts, and some are lost. So a
 * burst is one piece of news, after a moment, and whoever gets it looks for himself.
 */
import fs from "node:fs";
import path from "node:path";

const PAUSE_MS = 150;
/** Each takes one of the system's watches, of which a user has some thousands. */
const MOST_FOLDERS = 512;

interface Wanted {
  readonly folder: string;
  /** Only news of this name count; all do where it is undefined. */
  readonly name: string | undefined;
}

export class FolderWatch {
  readonly #tell: () => void;
  #watching = new Map<string, fs.FSWatcher>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(tell: () => void) {
    this.#tell = tell;
  }

  /** From now on these, with all that is below them, and no others. */
  follow(folders: readonly string[]): void {
    if (this.#isClosed) return;
    const wanted = new Map(folders.flatMap(wantedFor).map((one) => [keyOf(one), one]));
    const watching = new Map<string, fs.FSWatcher>();
    for (const [key, one] of [...wanted].slice(0, MOST_FOLDERS)) {
      const watcher = this.#watching.get(key) ?? this.#watch(one, key);
      if (watcher !== undefined) watching.set(key, watcher);
      this.#watching.delete(key);
    }
    for (const watcher of this.#watching.values()) watcher.close();
    this.#watching = watching;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const watcher of this.#watching.values()) watcher.close();
    this.#watching.clear();
  }

  /** Undefined where it is gone, or where the system has no watch left. */
  #watch({ folder, name }: Wanted, key: string): fs.FSWatcher | undefined {
    try {
      const watcher = fs.watch(folder, { persistent: false }, (_, about) => {
        if (name === undefined || about === null || about === name) this.#hear();
      });
      watcher.on("error", () => {
        watcher.close();
        this.#watching.delete(key);
        this.#hear();
      });
      return watcher;
    } catch {
      // Whoever begins a turn looks for himself.
      return undefined;
    }
  }

  #hear(): void {
    if (this.#isClosed || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#tell();
    }, PAUSE_MS);
    this.#timer.unref();
  }
}

function keyOf({ folder, name }: Wanted): string {
  // Another folder by the same path is another one to watch.
  const found = statOf(folder);
  return [folder, name ?? "", found?.dev, found?.ino].join("\0");
}

/** The folder and those below it; where it is not there, the nearest one above, for the next name. */
function wantedFor(folder: string): Wanted[] {
  if (statOf(folder)?.isDirectory()) {
    return foldersBelow(folder).map((one) => ({ folder: one, name: undefined }));
  }
  for (let at = folder; ; at = path.dirname(at)) {
    const above = path.dirname(at);
    if (fs.existsSync(above)) return [{ folder: above, name: path.basename(at) }];
    if (above === at) return [];
  }
}

/** What cannot be looked at, such as a link to itself, is as if it were not there. */
function statOf(folder: string): fs.Stats | undefined {
  try {
    return fs.statSync(folder, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function foldersBelow(folder: string): string[] {
  const found = [folder];
  for (let at = 0; at < found.length && found.length < MOST_FOLDERS; at += 1) {
    const here = found[at] ?? folder;
    found.push(...childrenOf(here));
  }
  return found.slice(0, MOST_FOLDERS);
}

function childrenOf(folder: string): string[] {
  try {
    return fs
      .readdirSync(folder, { withFileTypes: true })
      .filter((one) => one.isDirectory() && one.name !== "node_modules" && one.name !== ".git")
      .map(({ name }) => path.join(folder, name));
  } catch {
    return [];
  }
}
