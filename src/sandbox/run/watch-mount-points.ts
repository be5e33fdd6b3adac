/**
 * Watches paths of the host that a live sandbox depends on.
 *
 * A rename over a mount point, or its removal, detaches the mount in every
 * sandbox, and what it covered lies open; a path that was missing may appear
 * where nothing covers it. That cannot be prevented from here, only noticed:
 * whoever is told must end the sandbox.
 */
import fs from "node:fs";
import path from "node:path";
import { setImmediate as soon } from "node:timers/promises";
import { SandboxError } from "../sandbox-error.ts";
import { type FolderChange, type FolderWatch, MISSED, watchFolder } from "./folder-watch.ts";
import { isStill } from "./identity-at.ts";
import { pathIdentity } from "./path-identity.ts";

/** The kernel drops what nobody reads in time, and a command can make it drop things: so all is looked at anyway. */
const LOOK_AGAIN_MS = 500;
/**
 * The least between two looks at a sandbox that stands. A command may change the permissions of its own folders
 * without end: to look each time would leave no time for anything else, and its limits would not hold.
 */
const REST_MS = 10;
/** For how long all together rest for each look they take, so that many sandboxes of one folder leave time as well. */
const SHARE = 4;

/** How many sandboxes are looked at. */
let live = 0;

/** In milliseconds. What measures finer takes a while to load. */
const now = () => process.uptime() * 1000;

export interface MountPoints {
  /** What each path was; see `pathIdentities`. */
  readonly before: ReadonlyMap<string, string>;
  /** Asks the sandbox itself whether its mounts are where they belong; while they are made nobody knows. */
  readonly inPlace: () => InPlace;
}

export type InPlace = "yes" | "no" | "unknown";

export interface MountPointWatch {
  /** Settles when all that has happened until now is told. */
  heard(): Promise<void>;
  close(): void;
}

/**
 * Calls `lost`, with the path, when one is no longer what it was, or no longer where it was.
 *
 * Nothing that happens after this settles goes unnoticed: a mount is made only then, else it may
 * lie on something that stood there for a moment.
 */
export async function watchMountPoints(
  points: MountPoints,
  lost: (path: string) => void,
): Promise<MountPointWatch> {
  const watch = new Watch(points, lost);
  try {
    watch.open();
  } catch (cause) {
    watch.close();
    throw cannotWatch(cause);
  }
  await watch.heard();
  watch.heed();
  return watch;
}

class Watch implements MountPointWatch {
  readonly #points: MountPoints;
  readonly #lost: (path: string) => void;
  readonly #watches: WatchedFolder[] = [];
  /** When each folder was changed last; see {@link calmSince}. */
  readonly #calm = new Map<string, bigint | undefined>();
  #isHeeding = false;
  #timer: NodeJS.Timeout | undefined;
  /** Once all mounts are made they can be asked about, and nothing that happens to a path is missed by that. */
  #isStanding = false;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #restMs = REST_MS;
  #soon: NodeJS.Timeout | undefined;

  constructor(points: MountPoints, lost: (path: string) => void) {
    this.#points = points;
    this.#lost = lost;
  }

  open(): void {
    const { before } = this.#points;
    for (const [folder, names] of namesByFolder(before.keys())) {
      const [point = folder] = names.values();
      const watch = openWatch(folder, before, (event, name) => {
        if (!this.#isHeeding) return;
        if (name !== undefined) this.#changed({ event, folder, name }, names.get(name));
        else if (event === MISSED && this.#isMoved(folder)) this.#end(point);
        else this.#lookSoon();
      });
      if (watch !== undefined) this.#watches.push({ folder, point, watch });
    }
  }

  /**
   * A watch that others had before also tells of what happened before this one had it, such as the
   * making of placeholders. The second turn has read all of that, wherever in a turn we are.
   */
  async heard(): Promise<void> {
    if (this.#watches.length === 0) return;
    await soon();
    await soon();
    if (!this.#isHeeding) return;
    const untold = this.#watches.find(
      ({ folder, watch }) => watch.isResting && this.#isMoved(folder),
    );
    // The kernel drops what is too much.
    if (untold === undefined) this.#look();
    else this.#end(untold.point);
  }

  heed(): void {
    if (this.#watches.length === 0) return;
    this.#isHeeding = true;
    live += 1;
    this.#timer = setInterval(() => this.#look(), LOOK_AGAIN_MS).unref();
    for (const { folder } of this.#watches) this.#calm.set(folder, calmSince(folder));
    // What changed since the identities were taken was not heeded, nor whose watches these are.
    const decoy = this.#watches.find(({ folder, watch }) => !isStill(folder, watch.identity));
    if (decoy === undefined) this.#look();
    else this.#end(decoy.point);
  }

  close(): void {
    if (this.#isHeeding) live -= 1;
    this.#isHeeding = false;
    clearInterval(this.#timer);
    clearTimeout(this.#soon);
    for (const { watch } of this.#watches.splice(0)) watch.close();
  }

  #changed({ event, folder, name }: Change, point: string | undefined): void {
    if (point === undefined) return;
    // Also when it is back already: a mount made meanwhile lies on what stood in its place.
    const isPoint = path.normalize(`${folder}/${name}`) === point;
    if (event === "rename" && (isPoint || this.#isMoved(folder))) this.#end(point);
    else this.#lookSoon(point);
  }

  /**
   * Whether a folder may have been moved while mounts are made. Permissions and times of one that were changed are
   * told like a rename; commands may change those on the way.
   */
  #isMoved(folder: string): boolean {
    if (this.#stands()) return false;
    const calm = this.#calm.get(folder);
    return calm === undefined || calm !== calmSince(folder);
  }

  #stands(): boolean {
    this.#isStanding ||= this.#points.inPlace() !== "unknown";
    return this.#isStanding;
  }

  /** Looks at once unless that was done a moment ago, and then as soon as the moment is over. */
  #lookSoon(suspect?: string): void {
    const rest = this.#lookedAt + this.#restMs - now();
    if (rest <= 0 || !this.#stands()) this.#look(suspect);
    else this.#soon ??= setTimeout(() => this.#look(suspect), rest).unref();
  }

  #look(suspect?: string): void {
    const { before, inPlace } = this.#points;
    const begun = now();
    clearTimeout(this.#soon);
    this.#soon = undefined;
    const gone = before.keys().find((point) => pathIdentity(point) !== before.get(point));
    const [first] = before.keys();
    if (gone !== undefined) this.#end(gone);
    else if (first !== undefined && inPlace() === "no") this.#end(suspect ?? first);
    this.#lookedAt = now();
    const took = this.#lookedAt - begun;
    this.#restMs = Math.min(LOOK_AGAIN_MS, Math.max(REST_MS, took * live * SHARE));
  }

  #end(point: string): void {
    this.close();
    this.#lost(point);
  }
}

interface WatchedFolder {
  readonly folder: string;
  /** One of those that lie behind it. */
  readonly point: string;
  readonly watch: FolderWatch;
}

interface Change {
  readonly event: string;
  readonly folder: string;
  readonly name: string;
}

/** Clocks of file systems tick every few milliseconds; what happens within a tick leaves the same time. */
const TICKS_MS = 20;

/**
 * When something was last put into a folder, taken out of it or renamed in it, or the folder itself
 * was changed: the one time that nobody can set. Nothing where that is so short ago that one more
 * change need not show.
 */
function calmSince(folder: string): bigint | undefined {
  try {
    const { ctimeNs, ctimeMs } = fs.statSync(folder, { bigint: true });
    return Date.now() - Number(ctimeMs) > TICKS_MS ? ctimeNs : undefined;
  } catch {
    return undefined;
  }
}

/** The names that lead to each path, by the folder they lie in: whoever moves one moves the path. */
function namesByFolder(points: Iterable<string>): Map<string, Map<string, string>> {
  const folders = new Map<string, Map<string, string>>();
  for (const point of points) {
    for (let at = point; at !== "/"; at = path.dirname(at)) {
      const folder = path.dirname(at);
      const names = folders.get(folder) ?? new Map<string, string>();
      folders.set(folder, names.set(path.basename(at), point));
    }
  }
  return folders;
}

/** Nothing for a folder further up that this user may enter but not read; then what is in it cannot be followed. */
function openWatch(
  folder: string,
  before: ReadonlyMap<string, string>,
  changed: FolderChange,
): FolderWatch | undefined {
  try {
    return watchFolder(folder, changed);
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    // A file has nothing in it; should it become a folder, that is told by the one it lies in.
    if (code === "ENOTDIR") return undefined;
    const closed = code === "EACCES";
    if (closed && !before.keys().some((point) => path.dirname(point) === folder)) return undefined;
    throw cause;
  }
}

function cannotWatch(cause: unknown): SandboxError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new SandboxError("backendFailed", `Cannot watch what the sandbox covers: ${why}`, {
    cause,
  });
}
