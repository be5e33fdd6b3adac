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
import { type FolderChange, type FolderWatch, watchFolder } from "./folder-watch.ts";

/** The kernel drops what nobody reads in time, and a command can make it drop things: so all is looked at anyway. */
const LOOK_AGAIN_MS = 500;

/** What each path is now; taken before the start, so that nothing slips in between. */
export function identitiesOf(paths: readonly string[]): Map<string, string> {
  return new Map(paths.map((one) => [one, identityOf(one)]));
}

export interface MountPoints {
  /** What each path was; see {@link identitiesOf}. */
  readonly before: ReadonlyMap<string, string>;
  /** Asks the sandbox itself whether its mounts are where they belong: never while they are being made. */
  readonly inPlace: () => boolean;
}

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
  readonly #watches: FolderWatch[] = [];
  #isHeeding = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(points: MountPoints, lost: (path: string) => void) {
    this.#points = points;
    this.#lost = lost;
  }

  open(): void {
    const { before } = this.#points;
    for (const [folder, names] of namesByFolder(before.keys())) {
      const watch = openWatch(folder, before, (event, name) => {
        if (!this.#isHeeding) return;
        if (name === undefined) this.#look();
        else this.#changed(event, `${folder}/${name}`, names.get(name));
      });
      if (watch !== undefined) this.#watches.push(watch);
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
  }

  heed(): void {
    if (this.#watches.length === 0) return;
    this.#isHeeding = true;
    this.#timer = setInterval(() => this.#look(), LOOK_AGAIN_MS).unref();
    // What changed since the identities were taken was not heeded.
    this.#look();
  }

  close(): void {
    this.#isHeeding = false;
    clearInterval(this.#timer);
    for (const watch of this.#watches.splice(0)) watch.close();
  }

  #changed(event: string, at: string, point: string | undefined): void {
    if (point === undefined) return;
    // Also when it is back already: a mount made meanwhile lies on what stood in its place.
    if (event === "rename" && this.#isLost(at, point)) this.#end(point);
    else this.#look();
  }

  /** Permissions of a folder that were changed are told like a rename; the command may change those on the way. */
  #isLost(at: string, point: string): boolean {
    return path.normalize(at) === point || !this.#points.inPlace();
  }

  #look(): void {
    const { before } = this.#points;
    const gone = before.keys().find((point) => identityOf(point) !== before.get(point));
    if (gone !== undefined) this.#end(gone);
  }

  #end(point: string): void {
    this.close();
    this.#lost(point);
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

/** The inode alone may be used again at once; when it was born tells two of them apart. */
function identityOf(point: string): string {
  try {
    const found = fs.lstatSync(point, { throwIfNoEntry: false, bigint: true });
    return found === undefined ? "missing" : `${found.dev}:${found.ino}:${found.birthtimeNs}`;
  } catch {
    return "missing";
  }
}

function cannotWatch(cause: unknown): SandboxError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new SandboxError("backendFailed", `Cannot watch what the sandbox covers: ${why}`, {
    cause,
  });
}
