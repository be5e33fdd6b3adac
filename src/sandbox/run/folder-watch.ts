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
import { identityAt, identityOfFolder } from "./identity-at.ts";

/** Told of what the kernel reports; without a name when the folder itself is meant. */
export type FolderChange = (event: string, name: string | undefined) => void;

/** The event that stands for all that happened while a watch rested; told when it begins to and when it is over. */
export const MISSED = "missed";

export interface FolderWatch {
  /** Of the folder that is watched, whatever stands at its path by now; see {@link identityAt}. */
  readonly identity: string;
  /** Whether more happened in it than can be told, so that nothing is for a moment. */
  readonly isResting: boolean;
  close(): void;
}

/** Long enough for the next command of a task, short enough for a folder that nobody comes back to. */
const KEEP_MS = 5000;
const MOST_KEPT = 256;

/**
 * How many changes are told in one turn, and for how long. All that is there is read in the same turn, so that whoever
 * makes changes faster than they are told would leave no other turn to this process: no limit, no signal and no
 * client would count. A few are told however long they take: this process may not have been let run meanwhile.
 */
const MOST_TOLD = 64;
const MOST_MS = 100;
const REST_MS = 50;
let turn: { told: number; readonly began: number } | undefined;

/** In milliseconds. What measures finer takes a while to load. */
const now = () => process.uptime() * 1000;

/** Counts one change more. */
function isTooMuch(): boolean {
  if (turn === undefined) {
    turn = { told: 0, began: now() };
    setImmediate(() => {
      turn = undefined;
    }).unref();
  }
  turn.told += 1;
  return turn.told > MOST_TOLD && now() - turn.began > MOST_MS;
}

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
  #watcher: fs.FSWatcher | undefined;
  readonly #users = new Set<FolderChange>();
  #timer: NodeJS.Timeout | undefined;
  #rest: NodeJS.Timeout | undefined;

  constructor(folder: string) {
    this.#folder = folder;
    this.identity = this.#open();
  }

  #open(expected?: string): string {
    const folder = this.#folder;
    const fd = fs.openSync(folder, O_PATH | fs.constants.O_DIRECTORY);
    try {
      const identity = identityOfFolder(fs.fstatSync(fd, { bigint: true }));
      if (expected !== undefined && identity !== expected) return identity;
      const ownNames = [String(fd), folder.slice(folder.lastIndexOf("/") + 1)];
      const watcher = fs.watch(`/proc/self/fd/${fd}`, { persistent: false }, (event, name) =>
        this.#hear(event, name === null || ownNames.includes(name), name ?? undefined),
      );
      watcher.on("error", () => this.#tell("rename", true, undefined));
      this.#watcher = watcher;
      return identity;
    } finally {
      fs.closeSync(fd);
    }
  }

  join(changed: FolderChange): FolderWatch {
    // Each user is one of its own, also when two bring the same function.
    const user: FolderChange = (event, name) => changed(event, name);
    clearTimeout(this.#timer);
    this.#users.add(user);
    const isResting = () => this.#rest !== undefined;
    return {
      identity: this.identity,
      get isResting() {
        return isResting();
      },
      close: () => this.#leave(user),
    };
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
    clearTimeout(this.#rest);
    this.#watcher?.close();
  }

  #hear(event: string, isOwn: boolean, name: string | undefined): void {
    if (this.#rest !== undefined) return;
    if (isTooMuch()) this.#pause();
    else this.#tell(event, isOwn, name);
  }

  /** Nothing more is read of this folder until others had their turn. */
  #pause(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
    this.#rest = setTimeout(() => this.#resume(), REST_MS).unref();
    this.#tell(MISSED, true, undefined);
  }

  #resume(): void {
    this.#rest = undefined;
    try {
      if (this.#open(this.identity) !== this.identity) this.forget();
    } catch {
      this.forget(); // What it is about is looked at anyway.
    }
    this.#tell(MISSED, true, undefined);
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
