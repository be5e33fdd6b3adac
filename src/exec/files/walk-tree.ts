/** Lists what is below a folder, level by level, names in order, within bounds. */
import type { Stats } from "node:fs";
import { type AbsolutePath, uriOfNative } from "../../policy/index.ts";
import { FileError, osError } from "./file-error.ts";
import type { LookPath } from "./look-at.ts";
import type { Pause } from "./pause.ts";
import { folderNames } from "./places/folder-names.ts";
import { isOpenLink, type PathWalk } from "./places/path-walk.ts";
import { type Name, type Place, pathIn } from "./places/place.ts";
import type { Walked, WalkOptions } from "./walked.ts";

const MOST = { maxDepth: 64, maxDirectories: 10_000, maxEntries: 50_000 } as const;
/** What one answer may hold, each item counted with some more than its text. */
const BUDGET = 4 << 20;
const ITEM = 64;

/** Throws `FileError` unless the bounds are bounds. It is asked before anything is looked at. */
export function checkWalk({ maxDepth, maxDirectories, maxEntries }: WalkOptions): void {
  if (maxDirectories < 1 || maxEntries < 1) {
    throw new FileError("invalid", "filesystem walk limits must be greater than zero");
  }
  const { maxDepth: depth, maxDirectories: directories, maxEntries: entries } = MOST;
  if (maxDepth > depth || maxDirectories > directories || maxEntries > entries) {
    throw new FileError(
      "invalid",
      `filesystem walk limits exceed maximums: depth=${depth}, directories=${directories}, entries=${entries}`,
    );
  }
}

export interface TreeWalk {
  readonly options: WalkOptions;
  readonly pause: Pause;
}

/** Walks. A folder that cannot be read is an entry among the errors. */
export async function walkTree(
  walk: PathWalk,
  { path, links }: LookPath,
  { options, pause }: TreeWalk,
): Promise<Walked> {
  const root = walk.at(path, { links, leaf: "itself" }, lookedAt);
  if (root === undefined) throw osError("notFound");
  const listing = new Listing(walk, options);
  if (root.stats.isDirectory()) listing.queue(root.path, path, 0);
  for (let next = listing.next(); next !== undefined; next = listing.next()) {
    for (const name of listing.namesOf(next)) {
      await pause();
      if (!listing.take(next, name)) break;
    }
    listing.leave(next);
  }
  return listing.walked;
}

interface Folder {
  readonly real: AbsolutePath;
  /** As it is called below the path that was asked for. */
  readonly shown: AbsolutePath;
  readonly depth: number;
  place?: Place;
}

interface LookedAt {
  readonly path: AbsolutePath;
  readonly stats: Stats;
  readonly isOpen: boolean;
}

function lookedAt({ path, found, sight }: Place): LookedAt | undefined {
  return found && { path, stats: found.stats, isOpen: sight.kind === "open" };
}

class Listing {
  readonly #walk: PathWalk;
  readonly #options: WalkOptions;
  readonly #folders: Folder[] = [];
  readonly #visited = new Set<AbsolutePath>();
  readonly #entries: { path: ReturnType<typeof uriOfNative>; kind: "file" | "directory" }[] = [];
  readonly #errors: { path: ReturnType<typeof uriOfNative>; message: string }[] = [];
  #seen = 0;
  #spent = 0;
  #full = false;
  #truncated = false;

  constructor(walk: PathWalk, options: WalkOptions) {
    this.#walk = walk;
    this.#options = options;
  }

  get walked(): Walked {
    return { entries: this.#entries, errors: this.#errors, truncated: this.#truncated };
  }

  queue(real: AbsolutePath, shown: AbsolutePath, depth: number): void {
    const { maxDepth, maxDirectories } = this.#options;
    if (depth > maxDepth || this.#visited.has(real)) return;
    if (this.#visited.size >= maxDirectories) {
      this.#truncated = true;
      return;
    }
    this.#visited.add(real);
    this.#folders.push({ real, shown, depth });
  }

  next(): Folder | undefined {
    return this.#full ? undefined : this.#folders.shift();
  }

  /** The sorted names of a folder, which is held until it is left. */
  namesOf(folder: Folder): Name[] {
    return (
      this.#try(folder.shown, () => {
        const { real, shown } = folder;
        // What was a folder when it was listed must not have become a link to another.
        folder.place = this.#walk.find(real, { links: "refuse", leaf: "itself", alias: shown });
        return folderNames(folder.place, this.#walk.view, MOST.maxEntries).toSorted(byText);
      }) ?? []
    );
  }

  leave({ place }: Folder): void {
    if (place !== undefined) this.#walk.release(place);
    if (place?.folder !== undefined) this.#walk.release(place.folder);
  }

  /** Looks at one name; false once there is no room for more. */
  take(folder: Folder, name: Name): boolean {
    if (this.#seen >= this.#options.maxEntries) return this.#end();
    this.#seen += 1;
    const shown = pathIn(folder.shown, name);
    if (typeof name !== "string") return this.#fail(folder.shown, `"${name}" is not UTF-8`);
    const target = this.#try(shown, () => this.#target(folder, name));
    if (target?.stats.isDirectory()) {
      const pruned = this.#options.pruneHiddenDirectories && name.startsWith(".");
      if (this.#add(shown, "directory") && !pruned) {
        this.queue(target.path, shown, folder.depth + 1);
      }
    } else if (target?.isOpen && target.stats.isFile()) this.#add(shown, "file");
    return !this.#full;
  }

  /** A link to a folder counts as one where links are followed; any other link is nothing. */
  #target({ place }: Folder, name: Name): LookedAt | undefined {
    if (place === undefined) return undefined;
    const child = this.#walk.child(place, name);
    this.#walk.release(child);
    if (!isOpenLink(child)) return lookedAt(child);
    if (!this.#options.followDirectorySymlinks) return undefined;
    const target = this.#walk.at(child.path, { links: "follow", leaf: "follow" }, lookedAt);
    return target?.stats.isDirectory() ? target : undefined;
  }

  #try<T>(shown: AbsolutePath, look: () => T): T | undefined {
    try {
      return look();
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      // It was there when its folder was read.
      if (error.code !== "notFound") this.#fail(shown, error.message);
      return undefined;
    }
  }

  #add(path: AbsolutePath, kind: "file" | "directory"): boolean {
    const uri = uriOfNative(path);
    if (!this.#spend(uri.length)) return false;
    this.#entries.push({ path: uri, kind });
    return true;
  }

  #fail(path: AbsolutePath, message: string): boolean {
    const uri = uriOfNative(path);
    if (!this.#spend(uri.length + message.length)) return false;
    this.#errors.push({ path: uri, message });
    return true;
  }

  #spend(characters: number): boolean {
    this.#spent += characters + ITEM;
    return this.#spent <= BUDGET || this.#end();
  }

  #end(): false {
    this.#truncated = true;
    this.#full = true;
    return false;
  }
}

function byText(a: Name, b: Name): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
