/**
 * One walk through the disk in search of what patterns deny.
 *
 * It goes only where a pattern can still match and stops at a match: a denied
 * folder hides what is in it. Links are followed, because a name that is denied
 * must not be readable through one; what is found is the real path. They come
 * after everything that patterns reach without them, so that what is found
 * through a link has no other way. What the command has of its own, or sees
 * nothing of, is passed over. A folder that an earlier walk saw, and that has
 * not changed since, is not read again. That says nothing of the folders in it,
 * so each of them is asked.
 */
import fs from "node:fs";
import type { GlobRule } from "../../../policy/index.ts";
import { SandboxError } from "../../sandbox-error.ts";
import { isCommandsOwn } from "../is-commands-own.ts";
import { unlessGone } from "../unless-gone.ts";
import { type GlobBudget, ruleRefusal } from "./glob-budget.ts";
import { type GlobEntry, readLargeFolder, readNames, readSmallFolder } from "./glob-entry.ts";
import { type GlobLook, isMangled, keyOf, lookThrough, type Place } from "./glob-look.ts";
import { type FolderStamp, type GlobStamps, isUnchanged, seenIn } from "./glob-stamps.ts";
import type { GlobState } from "./glob-state.ts";

export interface WalkTools {
  readonly budget: GlobBudget;
  readonly stamps: GlobStamps;
  /** What earlier walks saw. */
  readonly known: ReadonlyMap<string, GlobLook>;
  /** Where a file system of the kernel is mounted: hidden as a whole, and too lively to be walked. */
  readonly unseen: readonly string[];
}

/** A folder that has to be read before the walk can go on from it. */
export interface Unread {
  readonly place: Place;
  readonly stamp: FolderStamp | undefined;
  readonly seen: FolderStamp;
  readonly isSmall: boolean;
}

/** What denies a place, and the links that led there. */
export interface FoundMatch {
  readonly rule: GlobRule;
  readonly links: readonly string[];
}

export class GlobWalk {
  /** What was found, by real path. */
  readonly matches = new Map<string, FoundMatch>();
  /** What was seen, for the next walk. */
  readonly looks = new Map<string, GlobLook>();
  /** Whether each folder was as the earlier walk saw it: then both saw what was there in between. */
  isCalm = true;
  readonly #tools: WalkTools;
  readonly #open: Place[] = [];
  #linked: Place[] = [];
  #unread = 0;
  readonly #entered = new Set<string>();

  constructor(start: GlobState, tools: WalkTools) {
    this.#tools = tools;
    this.#enter({ path: "", state: start, depth: 0, links: [] });
  }

  /** Walks to the end. Throws {@link SandboxError} at a bound or a folder that cannot be looked into. */
  run(): void {
    for (let unread = this.next(); unread !== undefined; unread = this.next()) this.read(unread);
  }

  /** Goes on as far as nothing need be read; nothing when no folder is left, or none before others are read. */
  next(): Unread | undefined {
    do {
      for (let place = this.#open.pop(); place !== undefined; place = this.#open.pop()) {
        const unread = this.#at(place, (here) => this.#begin(here));
        if (unread === undefined) continue;
        this.#unread += 1;
        return unread;
      }
    } while (this.#unread === 0 && this.#followAll());
    return undefined;
  }

  read(unread: Unread): void {
    const path = unread.place.path || "/";
    const most = this.#tools.budget.entries;
    const read = () => (unread.isSmall ? readSmallFolder(path) : readLargeFolder(path, most));
    this.take(unread, this.#at(unread.place, read));
  }

  /** Takes what was read of a folder. */
  take({ place, ...stamps }: Unread, entries: readonly GlobEntry[]): void {
    this.#unread -= 1;
    this.#at(place, () => {
      const look = this.#lookThrough(place, entries, stamps);
      this.looks.set(keyOf(place), look);
      this.#adopt(place, look);
    });
  }

  /** What is closed to us might be opened by the command, so it is a refusal, not nothing. */
  refuse({ path }: Place, error: unknown): never {
    if (error instanceof SandboxError || !(error instanceof Error)) throw error;
    const code = "code" in error ? String(error.code) : error.message;
    throw this.#tools.budget.refusal(path, `looking failed with ${code}`, { cause: error });
  }

  #at<T>(place: Place, work: (place: Place) => T): T {
    try {
      return work(place);
    } catch (error) {
      return this.refuse(place, error);
    }
  }

  /** A folder may be reached in many ways; it is walked once in each state. */
  #enter(place: Place): void {
    if (this.#isPassedOver(place.path) && place.path !== "/dev") return;
    const key = keyOf(place);
    if (this.#entered.has(key)) return;
    this.#entered.add(key);
    this.#open.push(place);
  }

  #isPassedOver(path: string): boolean {
    const { unseen } = this.#tools;
    return isCommandsOwn(path) || unseen.some((one) => `${path}/`.startsWith(`${one}/`));
  }

  #begin(place: Place): Unread | undefined {
    const { path, state, depth } = place;
    const { budget, stamps, known } = this.#tools;
    budget.checkDepth(depth, path);
    if (state.names !== undefined) {
      this.#adopt(place, this.#lookThrough(place, readNames(path, state.names)));
      return undefined;
    }
    // Before the folder is read, so that a change in between shows as a change next time.
    const folder = unlessGone(() => fs.lstatSync(path || "/", { bigint: true }));
    if (folder?.isSymbolicLink()) this.#linked.push(place);
    const earlier = known.get(keyOf(place));
    this.isCalm &&= folder !== undefined && isUnchanged(earlier?.seen, folder);
    if (!folder?.isDirectory()) return undefined;
    if (earlier === undefined || !isUnchanged(earlier.stamp, folder)) {
      const isSmall = stamps.isSmall(folder, path || "/");
      const stamp = stamps.stampOf(folder, path || "/");
      return { place, stamp, seen: stamp ?? seenIn(folder), isSmall };
    }
    this.looks.set(keyOf(place), earlier);
    this.#adopt(place, earlier);
    return undefined;
  }

  #lookThrough(
    place: Place,
    entries: readonly GlobEntry[],
    { stamp, seen }: Partial<Pick<Unread, "stamp" | "seen">> = {},
  ): GlobLook {
    return { stamp, seen, ...lookThrough(entries, place, () => this.#refuseMangled(place.path)) };
  }

  #adopt({ path, links }: Place, look: GlobLook): void {
    this.#tools.budget.spend(look.entries, path);
    for (const { path: found, state } of look.matches) this.#match(found, state.rule, links);
    for (const folder of look.folders) this.#enter(reachedBy(links, folder));
    for (const link of look.links) this.#linked.push(reachedBy(links, link));
  }

  /** Whether there were links to follow. */
  #followAll(): boolean {
    const links = this.#linked;
    this.#linked = [];
    for (const link of links) this.#at(link, (one) => this.#follow(one));
    return links.length > 0;
  }

  #follow({ path, state, links: way }: Place): void {
    // No name, but time: one folder may hold links without end.
    this.#tools.budget.spend(0, path);
    const real = unlessGone(() => {
      const isFolder = fs.statSync(path).isDirectory();
      return isFolder || state.rule !== undefined ? fs.realpathSync.native(path) : undefined;
    });
    if (real === undefined) return;
    if (isMangled(real)) this.#refuseMangled(path);
    const links = [...way, path];
    if (state.rule !== undefined) this.#match(real, state.rule, links);
    else {
      const depth = real.split("/").length - 1;
      this.#enter({ path: real === "/" ? "" : real, state, depth, links });
    }
  }

  #refuseMangled(path: string): never {
    throw this.#tools.budget.refusal(path, "a name is not UTF-8");
  }

  #match(path: string, rule: GlobRule | undefined, links: readonly string[]): void {
    if (rule === undefined || this.matches.has(path) || this.#isPassedOver(path)) return;
    if (path === "/") throw ruleRefusal(rule, 'a link that it matches leads to "/"');
    this.matches.set(path, { rule, links });
    this.#tools.budget.checkMatches(this.matches.size, rule);
  }
}

/** A place seen earlier, as it is reached now. */
function reachedBy(links: readonly string[], place: Place): Place {
  return place.links === links ? place : { ...place, links };
}
