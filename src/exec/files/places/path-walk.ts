/**
 * Finds places without ever giving a path to the kernel that somebody could turn elsewhere.
 *
 * Each name is opened from the folder above it, through `/proc/self/fd`, with
 * O_PATH and O_NOFOLLOW. Links are read and followed by hand, and every step is
 * held against what a command would see there.
 */
import { isUtf8 } from "node:buffer";
import fs from "node:fs";
import { type AbsolutePath, parseAbsolutePath } from "../../../policy/index.ts";
import type { FileView, Sight } from "../../../sandbox/index.ts";
import { FileError, fileErrorOf, osError, refusal } from "../file-error.ts";
import { permits } from "./permits.ts";
import { entryOf, type Name, type Place, pathIn } from "./place.ts";

/** A descriptor that names a place and can neither be read nor written; see open(2). */
const O_PATH = 0o10000000;
/** The most links one path may lead through, as the kernel has it. */
const MAX_LINKS = 40;
const HIDDEN: Sight = { kind: "hidden" };
const ABSENT: Sight = { kind: "absent" };

export interface FindOptions {
  /** What to do with links on the way. */
  readonly links: "follow" | "refuse";
  /** Whether a link at the end is what was asked for. Where links are refused it always is. */
  readonly leaf: "follow" | "itself";
  /** Another path that leads there, for patterns. */
  readonly alias?: AbsolutePath;
  /** Makes what is missing on the way and at the end. */
  readonly make?: (missing: Place) => void;
}

/** Every descriptor it opens is closed with it at the latest. */
export class PathWalk {
  readonly view: FileView;
  readonly #open = new Set<number>();

  constructor(view: FileView) {
    this.view = view;
  }

  /** Where a path leads. Throws `FileError` when a folder on the way is missing or closed. */
  find(path: AbsolutePath, options: FindOptions): Place {
    const before = new Set(this.#open);
    const kept: (number | undefined)[] = [];
    try {
      const place = new Finding(this, options).run(path);
      kept.push(place.found?.fd, place.folder?.found?.fd);
      return place;
    } finally {
      for (const fd of this.#open) if (!before.has(fd) && !kept.includes(fd)) this.#close(fd);
    }
  }

  /** Finds a place, and lets go of it and its folder when `use` is over. */
  at<T>(path: AbsolutePath, options: FindOptions, use: (place: Place) => T): T {
    const place = this.find(path, options);
    try {
      return use(place);
    } finally {
      this.release(place);
      if (place.folder !== undefined) this.release(place.folder);
    }
  }

  root(): Place {
    const path = "/" as AbsolutePath;
    const found = this.#look("/");
    return { ...PLAIN, path, folder: undefined, name: "", sight: this.view.sightOf(path), found };
  }

  /** What a folder has by a name; a link is a link. */
  child(folder: Place, name: Name): Place {
    this.enter(folder);
    const path = pathIn(folder.path, name);
    const aliases = folder.aliases.map((alias) => pathIn(alias, name));
    const sight = this.#sightOf(path, aliases);
    // In the command's own /proc and /dev are other things by the same names.
    if (sight.kind === "own" && folder.sight.kind === "own") throw refusal("denied");
    const place = { ...PLAIN, path, aliases, folder, name, sight, found: undefined };
    if (sight.kind === "absent") return place;
    const found = this.#look(entryOf(place));
    // The view is of a moment before; one of now decides, if there is to be one.
    if (found !== undefined && this.view.wasMissing(path))
      return { ...place, sight: HIDDEN, found };
    return isPretended(sight, found?.stats) ? { ...place, sight: ABSENT } : { ...place, found };
  }

  /** Throws unless a command could go on from here. */
  enter({ found, sight }: Place): void {
    if (found === undefined) throw osError("notFound");
    if (!found.stats.isDirectory()) throw osError("notDirectory");
    if (sight.kind === "hidden") throw refusal("denied");
    const isHost = sight.kind === "open";
    if (this.view.confines && isHost && !permits(found.stats, "enter")) throw osError("denied");
  }

  /** The place again, as denied where one of the paths that led to it is. */
  under(place: Place, aliases: readonly AbsolutePath[]): Place {
    if (aliases.length === 0) return place;
    return { ...place, aliases, sight: this.#denied(place.sight, aliases) };
  }

  /** Lets go of one place before all are closed. */
  release({ found }: Place): void {
    if (found !== undefined) this.#close(found.fd);
  }

  close(): void {
    for (const fd of this.#open) fs.closeSync(fd);
    this.#open.clear();
  }

  #close(fd: number): void {
    if (this.#open.delete(fd)) fs.closeSync(fd);
  }

  #sightOf(path: AbsolutePath, aliases: readonly AbsolutePath[]): Sight {
    return this.#denied(this.view.sightOf(path), [path, ...aliases]);
  }

  /** What is not there at all is not there to be denied. */
  #denied(sight: Sight, paths: readonly AbsolutePath[]): Sight {
    if (sight.kind === "absent") return sight;
    return paths.some((path) => this.view.isDenied(path)) ? HIDDEN : sight;
  }

  #look(entry: string | Buffer): Place["found"] {
    try {
      const fd = fs.openSync(entry, O_PATH | fs.constants.O_NOFOLLOW);
      this.#open.add(fd);
      return { fd, stats: fs.fstatSync(fd) };
    } catch (cause) {
      const error = fileErrorOf(cause);
      if (error instanceof FileError && error.code === "notFound") return undefined;
      throw error;
    }
  }
}

/** Whether a link is there that a command could follow. */
export function isOpenLink({ found, sight }: Place): boolean {
  const shown = sight.kind === "open" || sight.kind === "link";
  return shown && (found?.stats.isSymbolicLink() ?? false);
}

const PLAIN = { aliases: [], linked: false, planted: false } as const;

/** Folders and links that the sandbox makes by itself stand for those of the host only while these are such. */
function isPretended(sight: Sight, stats: fs.Stats | undefined): boolean {
  if (sight.kind === "link") return !stats?.isSymbolicLink();
  return (sight.kind === "listed" || sight.kind === "passage") && !stats?.isDirectory();
}

/** One path on its way. */
class Finding {
  readonly #walk: PathWalk;
  readonly #options: FindOptions;
  readonly #places: [Place, ...Place[]];
  readonly #aliases: AbsolutePath[] = [];
  #left: string[] = [];
  /** How many of the names that are left were asked for; those before them were said by a link. */
  #asked = 0;
  #links = 0;
  #linked = false;

  constructor(walk: PathWalk, options: FindOptions) {
    this.#walk = walk;
    this.#options = options;
    this.#places = [walk.root()];
  }

  run(path: AbsolutePath): Place {
    this.#left = path.split("/").filter(Boolean);
    this.#asked = this.#left.length;
    this.#alias(path);
    if (this.#options.alias !== undefined) this.#alias(this.#options.alias);
    for (let name = this.#left.shift(); name !== undefined; name = this.#left.shift()) {
      this.#step(name);
    }
    const { path: real } = this.#here;
    const aliases = this.#aliases.filter((alias) => alias !== real);
    return this.#walk.under({ ...this.#here, linked: this.#linked }, aliases);
  }

  get #here(): Place {
    return this.#places.at(-1) ?? this.#places[0];
  }

  #step(name: string): void {
    const planted = this.#left.length >= this.#asked;
    if (!planted) this.#asked -= 1;
    if (name === "." || name === "..") {
      this.#walk.enter(this.#here);
      if (name === ".." && this.#places.length > 1) this.#places.pop();
      return;
    }
    const place = { ...this.#walk.child(this.#here, name), planted };
    if (isOpenLink(place) && this.#leadsOn()) this.#follow(place);
    else this.#places.push(place.found === undefined ? this.#made(place) : place);
  }

  /** Only the last name may be missing. */
  #made(place: Place): Place {
    const { make } = this.#options;
    if (make !== undefined && !place.planted) {
      make(place);
      const made = this.#walk.child(this.#here, place.name);
      if (made.found !== undefined) return made;
    }
    if (this.#left.length > 0) throw osError("notFound");
    return place;
  }

  #leadsOn(): boolean {
    const { links, leaf } = this.#options;
    const last = this.#left.length === 0;
    if (links === "follow") return !last || leaf === "follow";
    if (!last) throw osError("notDirectory");
    return false;
  }

  #follow(link: Place): void {
    this.#links += 1;
    if (this.#links > MAX_LINKS) throw osError("loop");
    if (this.#left.length === 0) this.#linked = true;
    const target = targetOf(link);
    this.#left = [...target.split("/").filter(Boolean), ...this.#left];
    if (target.startsWith("/")) this.#places.splice(1);
    this.#alias(pathOf(this.#here, this.#left));
  }

  #alias(path: AbsolutePath): void {
    if (this.#walk.view.confines) this.#aliases.push(path);
  }
}

const MAX_PATH = 4096;

function pathOf({ path }: Place, names: readonly string[]): AbsolutePath {
  const text = [path, ...names].join("/");
  if (text.length > MAX_PATH) throw new FileError("io", "File name too long (os error 36)");
  return parseAbsolutePath(text);
}

/** By name: what is a link now may be another one in a moment, and either is held against the view. */
function targetOf(link: Place): string {
  let target: Buffer;
  try {
    target = fs.readlinkSync(entryOf(link), "buffer");
  } catch (cause) {
    // It was a link when it was opened.
    throw osError("loop", { cause });
  }
  if (isUtf8(target)) return target.toString();
  throw new FileError("invalid", "a link on the way leads to a name that is not UTF-8");
}
