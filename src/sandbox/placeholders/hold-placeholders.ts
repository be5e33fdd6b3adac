/**
 * Makes the paths that a sandbox has to cover, and takes them away again.
 *
 * A missing protected path can only be covered by a mount if it exists, so it
 * is made on the host first, shared by all sandboxes that need it, and removed
 * by whoever is the last to leave. Sandboxes of one process share by counting;
 * processes share by the record, on which all stays that is there, lingering or not.
 */
import fs from "node:fs";
import { type AbsolutePath, isWithin, parseAbsolutePath } from "../../policy/index.ts";
import type { Placeholder } from "../launch-plan.ts";
import { endSurvivors } from "./end-survivors.ts";
import { HeldRecord, isGone } from "./held-record.ts";
import { newName } from "./new-name.ts";
import { forgetRun, restRun } from "./record-run.ts";
import { keepingRecords, openRecords } from "./records-folder.ts";

export interface HeldPlaceholders {
  /** What this run is called in the records. */
  readonly run: string;
  /**
   * Lets go of all of them; what nobody else holds is removed, when it has lingered or `now`. Where that
   * cannot be done now, nobody is told, and it is tried again soon.
   */
  release(when?: "now"): void;
}

const holders = new Map<AbsolutePath, Holder>();

/** Places that only this process and its children see, with where theirs are on record. */
let apart: { readonly places: readonly AbsolutePath[]; readonly folder: AbsolutePath } | undefined;

/**
 * Until that is taken back, what is held in these places is on a record of its own: by the same paths other processes
 * have other files, and would take what is on record there for theirs.
 */
export function recordApart(places: readonly AbsolutePath[], folder: AbsolutePath): () => void {
  apart = { places, folder };
  return () => {
    apart = undefined;
  };
}

function isApart(path: string): boolean {
  return apart?.places.some((one) => isWithin(parseAbsolutePath(path), one)) === true;
}

/**
 * Makes what is missing and holds it, after removing what dead runs left. What nobody needs any more
 * may linger: a process that lives on may soon need it again.
 */
export function holdPlaceholders(
  placeholders: readonly Placeholder[],
  folder: AbsolutePath,
  lingerMs = 0,
): HeldPlaceholders {
  const own = placeholders.filter(({ path }) => isApart(path));
  if (apart === undefined || own.length === 0) return holdIn(placeholders, folder, lingerMs);
  const inside = holdIn(own, apart.folder, lingerMs);
  try {
    const others = placeholders.filter(({ path }) => !isApart(path));
    const { run, release } = holdIn(others, folder, lingerMs);
    const releaseAll: HeldPlaceholders["release"] = (when) => {
      try {
        release(when);
      } finally {
        inside.release(when);
      }
    };
    return { run, release: releaseAll };
  } catch (error) {
    inside.release("now");
    throw error;
  }
}

function holdIn(
  placeholders: readonly Placeholder[],
  folder: AbsolutePath,
  lingerMs: number,
): HeldPlaceholders {
  openRecords(folder);
  const holder = holders.get(folder) ?? new Holder(folder);
  holders.set(folder, holder);
  keepingRecords(folder, () => holder.take(placeholders));
  const run = holder.nameRun();
  return {
    run,
    release(when) {
      if (when === "now") holder.drop(placeholders, run);
      else if (lingerMs > 0) holder.linger(placeholders, run, lingerMs);
      else holder.give(placeholders, run);
    },
  };
}

/** Removes at once what lingers. Happens by itself when the process ends, unless a signal ends it. */
export function releaseLingering(): void {
  for (const holder of holders.values()) holder.settle();
}

/** One listener for all folders: many of them on a process are taken for a leak. */
function settleAtExit(): void {
  if (!process.listeners("exit").includes(releaseLingering)) process.once("exit", releaseLingering);
}

const TRY_AGAIN_MS = 1000;

/** What the sandboxes of this process hold. */
class Holder {
  readonly #folder: AbsolutePath;
  readonly #user = newName();
  /** How many need it; none for what lingers. */
  readonly #counts = new Map<AbsolutePath, number>();
  /** The names of runs that are over, with their records in place to be used again. */
  readonly #names: string[] = [];
  #timer: NodeJS.Timeout | undefined;
  #swept = false;

  constructor(folder: AbsolutePath) {
    this.#folder = folder;
  }

  nameRun(): string {
    return this.#names.pop() ?? newName();
  }

  take(placeholders: readonly Placeholder[]): void {
    const fresh = placeholders.filter(({ path }) => !this.#counts.has(path) || isMissing(path));
    if (fresh.length > 0 || !this.#swept) this.#hold(fresh);
    for (const { path } of placeholders) this.#counts.set(path, this.#countOf(path) + 1);
  }

  give(placeholders: readonly Placeholder[], run: string): void {
    this.#discount(placeholders);
    const paths = new Set(placeholders.map(({ path }) => path));
    try {
      this.#drop((path) => paths.has(path));
      forgetRun(this.#folder, run);
    } catch {
      // The run is over, and how it ended is worth more than this.
      this.#names.push(run);
      settleAtExit();
      this.#tryAgain();
    }
  }

  linger(placeholders: readonly Placeholder[], run: string, forMs: number): void {
    this.#discount(placeholders);
    if (restRun(this.#folder, run)) this.#names.push(run);
    settleAtExit();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.settle(), forMs).unref();
  }

  /** Like what lingered and has to go. What lingers for others goes along, and nobody needs it. */
  drop(placeholders: readonly Placeholder[], run: string): void {
    this.#discount(placeholders);
    this.#names.push(run);
    this.settle();
  }

  /** What cannot be removed now stays on record, and is tried again soon or by a later start. */
  settle(): void {
    clearTimeout(this.#timer);
    try {
      for (let [run] = this.#names; run !== undefined; [run] = this.#names) {
        forgetRun(this.#folder, run);
        this.#names.shift();
      }
      this.#drop(() => true);
    } catch {
      // There is nobody to tell: every run is over. Somebody else may have the lock.
      this.#tryAgain();
    }
  }

  #tryAgain(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.settle(), TRY_AGAIN_MS).unref();
  }

  #discount(placeholders: readonly Placeholder[]): void {
    for (const { path } of placeholders) this.#counts.set(path, this.#countOf(path) - 1);
  }

  #drop(leaves: (path: AbsolutePath) => boolean): void {
    const last = [...this.#counts].filter(([path, count]) => count === 0 && leaves(path));
    if (last.length > 0) this.#letGo(new Set(last.map(([path]) => path)));
    for (const [path] of last) this.#counts.delete(path);
  }

  #hold(fresh: readonly Placeholder[]): void {
    try {
      this.#record().change((record) => {
        endSurvivors(this.#folder);
        record.letGo((user) => isGone(user));
        record.hold(fresh, this.#user);
      });
      this.#swept = true;
    } catch (error) {
      const held = fresh.filter(({ path }) => !this.#counts.has(path));
      this.#letGo(new Set(held.map(({ path }) => path)));
      throw error;
    }
  }

  #letGo(paths: ReadonlySet<string>): void {
    this.#record().change((record) =>
      record.letGo((user, path) => user === this.#user && paths.has(path)),
    );
  }

  #record(): HeldRecord {
    return new HeldRecord(this.#folder, (path) => !isApart(path) || this.#folder === apart?.folder);
  }

  #countOf(path: AbsolutePath): number {
    return this.#counts.get(path) ?? 0;
  }
}

function isMissing(path: AbsolutePath): boolean {
  return fs.lstatSync(path, { throwIfNoEntry: false }) === undefined;
}
