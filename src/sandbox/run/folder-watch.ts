/**
 * Watches of folders, shared by all sandboxes of this process.
 *
 * The same folders are above what every sandbox covers, and a watch on a large
 * one is dear. So each is kept for a while after its last user. What is kept is
 * used again only for the very folder it was made for: it was opened through a
 * descriptor of that folder, and whoever comes later compares.
 */
import fs from "node:fs";
import { O_PATH } from "../files/real-paths.ts";

/** Told of what the kernel reports; without a name when the folder itself is meant. */
export type FolderChange = (event: string, name: string | undefined) => void;

export interface FolderWatch {
  /** Of the folder that is watched, whatever stands at its path by now; see {@link identityAt}. */
  readonly identity: string;
  close(): void;
}

/** Long enough for the next command of a task, short enough for a folder that nobody comes back to. */
const KEEP_MS = 5000;
const MOST_KEPT = 256;

const watches = new Map<string, SharedWatch>();
let keepMs = KEEP_MS;

/**
 * From now on none is kept: there is no next command. The kernel takes some milliseconds to be done with
 * a watch, and whoever ends before that waits for it.
 */
export function keepNoWatches(): void {
  keepMs = 0;
}

/** Calls `changed` until it is closed. Throws what the system says where a folder cannot be watched. */
export function watchFolder(folder: string, changed: FolderChange): FolderWatch {
  const identity = identityAt(folder);
  let watch = watches.get(folder);
  if (watch?.identity !== identity) watch = replaceWatch(folder);
  return watch.join(changed);
}

function replaceWatch(folder: string): SharedWatch {
  watches.get(folder)?.forget();
  const watch = new SharedWatch(folder);
  watches.set(folder, watch);
  return watch;
}

class SharedWatch {
  readonly identity: string;
  readonly #folder: string;
  readonly #watcher: fs.FSWatcher;
  readonly #users = new Set<FolderChange>();
  #timer: NodeJS.Timeout | undefined;

  constructor(folder: string) {
    this.#folder = folder;
    const fd = fs.openSync(folder, O_PATH | fs.constants.O_DIRECTORY);
    try {
      this.identity = identityOfFolder(fs.fstatSync(fd, { bigint: true }));
      const ownNames = [String(fd), folder.slice(folder.lastIndexOf("/") + 1)];
      this.#watcher = fs.watch(`/proc/self/fd/${fd}`, { persistent: false }, (event, name) =>
        this.#tell(event, name === null || ownNames.includes(name), name ?? undefined),
      );
    } finally {
      fs.closeSync(fd);
    }
    this.#watcher.on("error", () => this.#tell("rename", true, undefined));
  }

  join(changed: FolderChange): FolderWatch {
    // Each user is one of its own, also when two bring the same function.
    const user: FolderChange = (event, name) => changed(event, name);
    clearTimeout(this.#timer);
    this.#users.add(user);
    return { identity: this.identity, close: () => this.#leave(user) };
  }

  /** Nobody gets it from now on; those who have it keep it. */
  forget(): void {
    if (watches.get(this.#folder) === this) watches.delete(this.#folder);
    if (this.#users.size === 0) this.#close();
  }

  #leave(user: FolderChange): void {
    if (!this.#users.delete(user) || this.#users.size > 0) return;
    const isKept = keepMs > 0 && watches.get(this.#folder) === this && watches.size <= MOST_KEPT;
    if (isKept) this.#timer = setTimeout(() => this.forget(), keepMs).unref();
    else this.forget();
  }

  #close(): void {
    clearTimeout(this.#timer);
    this.#watcher.close();
  }

  /** After an event of the folder itself the watch may be over, whatever stands at the path then. */
  #tell(event: string, isOwn: boolean, name: string | undefined): void {
    if (isOwn && event === "rename") this.forget();
    for (const user of [...this.#users]) {
      // Its own name may also be the name of something in it.
      if (isOwn) user(event, undefined);
      if (name !== undefined) user(event, name);
    }
  }
}

/** Tells a folder from any other that stands at its path later. */
export function identityAt(folder: string): string {
  return identityOfFolder(fs.statSync(folder, { bigint: true }));
}

function identityOfFolder({ dev, ino, birthtimeNs }: fs.BigIntStats): string {
  return `${dev}:${ino}:${birthtimeNs}`;
}
