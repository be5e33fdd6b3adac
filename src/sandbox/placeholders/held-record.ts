/**
 * The record of what is held, and the paths themselves, changed together.
 *
 * Every change happens under a lock. What is about to be made is written down
 * before it is made; what was made is removed only while it is still that very
 * thing and empty. Every path is made and removed through its opened folder,
 * never through a link.
 */
import fs from "node:fs";
import path from "node:path";
import { type AbsolutePath, parseAbsolutePath } from "../../policy/index.ts";
import { RealPaths } from "../files/real-paths.ts";
import type { Placeholder } from "../launch-plan.ts";
import { SandboxError } from "../sandbox-error.ts";
import {
  type HeldPath,
  heldElsewhere,
  readPlaceholderRegistry,
  writePlaceholderRegistry,
} from "./placeholder-registry.ts";
import { identityIn, livingPid } from "./process-identity.ts";
import { withLock } from "./with-lock.ts";

/** One change, from reading the record to writing it. */
export class HeldRecord {
  readonly #folder: AbsolutePath;
  readonly #sees: (place: string) => boolean;
  readonly #paths = new RealPaths();
  readonly #shared = new Map<string, boolean>();
  #held = new Map<string, HeldPath>();
  #files: readonly string[] = [];
  #dirty = false;

  /** `sees` tells whether this process finds at a path what others find there; all, where nothing is said. */
  constructor(folder: AbsolutePath, sees: (place: string) => boolean = () => true) {
    this.#folder = folder;
    this.#sees = sees;
  }

  /** Runs `work` while nobody else changes the record. */
  change(work: (record: HeldRecord) => void): void {
    withLock(path.join(this.#folder, "lock"), () => {
      const { held, files } = readPlaceholderRegistry(this.#folder);
      // Whoever said that it leaves had the lock, and is over.
      for (const { leaving, ...one } of held.values()) held.set(one.path, one);
      this.#held = held;
      this.#files = files;
      try {
        work(this);
      } finally {
        this.#end();
      }
    });
  }

  /** Also when the work failed half-way: what was made by then must be known. */
  #end(): void {
    try {
      this.#write();
    } finally {
      this.#paths.close();
    }
  }

  /** Makes what is missing and puts `user` on record for all of them, the record first. */
  hold(placeholders: readonly Placeholder[], user: string): void {
    const missing = this.#join(placeholders, user);
    const shared = placeholders.filter(({ path: place }) => this.#isShared(place));
    waitForLeaving(shared, this.#folder);
    // Another user may have removed what was there. What was not there and is now is somebody's own.
    const gone = this.#join(
      shared.filter((one) => !missing.has(one)),
      user,
    );
    for (const one of placeholders) if (missing.has(one) || gone.has(one)) this.#make(one);
    this.#write();
  }

  /**
   * Takes users off the record; what nobody needs any more is removed. Where other users may need it,
   * the record says so first: whoever comes then waits, and whoever came before is seen. What cannot be
   * seen from here is left to others.
   */
  letGo(leaves: (user: string, place: string) => boolean): void {
    const idle: HeldPath[] = [];
    for (const one of [...this.#held.values()].filter(({ path: place }) => this.#sees(place))) {
      const users = one.users.filter((user) => !leaves(user, one.path));
      if (users.length === one.users.length && users.length > 0) continue;
      this.#put({ ...one, users });
      if (users.length === 0) idle.push({ ...one, users });
    }
    const isNeeded = this.#announce(idle.filter((one) => wasMade(one) && this.#isShared(one.path)));
    for (const one of idle.toSorted(deepestFirst)) {
      this.#put(one);
      if (this.#remove(one, isNeeded)) this.#held.delete(one.path);
    }
  }

  /** Says that these may go now; tells which another user needs. Nobody waits for long, so later it is all of them. */
  #announce(idle: readonly HeldPath[]): (place: string) => boolean {
    if (idle.length === 0) return () => false;
    const leaving = Date.now();
    for (const one of idle) this.#put({ ...one, leaving });
    this.#write();
    const elsewhere = heldElsewhere(this.#folder);
    const isShared = new Set(idle.map(({ path: place }) => place));
    return (place) => {
      if (!isShared.has(place)) return false;
      const users = (elsewhere.held.get(place) ?? []).flatMap((one) => one.users);
      const isLate = Date.now() - leaving > MOST_LEAVING_MS;
      return isLate || elsewhere.isCut || users.some((one) => !isGone(one, "other"));
    };
  }

  #write(): void {
    if (!this.#dirty) return;
    this.#files = writePlaceholderRegistry(this.#folder, { held: this.#held, files: this.#files });
    this.#dirty = false;
  }

  /** Puts `user` on record for all that is missing or may be another's placeholder; tells what is missing. */
  #join(placeholders: readonly Placeholder[], user: string): ReadonlySet<Placeholder> {
    const missing = new Set(placeholders.filter((one) => !this.#exists(one.path)));
    for (const one of placeholders) {
      const known = this.#held.get(one.path);
      const users = [...new Set([...(known?.users ?? []), user])];
      if (missing.has(one)) this.#put({ ...one, madeAfter: Date.now(), users });
      // Who is on record already is not put there once more: to write the same takes as long.
      else if (known?.users.includes(user)) continue;
      else if (known !== undefined) this.#put({ ...known, users });
      else if (this.#isShared(one.path)) this.#put({ ...one, users });
    }
    this.#write();
    return missing;
  }

  #put(one: HeldPath): void {
    this.#held.set(one.path, one);
    this.#dirty = true;
  }

  /** What somebody makes at the same moment is theirs, and stays; where others do, it is needed all the same. */
  #make({ path: place, kind }: Placeholder): void {
    const entry = this.#paths.entry(place);
    try {
      if (kind === "folder") fs.mkdirSync(entry, { mode: 0o755 });
      else fs.closeSync(fs.openSync(entry, "wx", 0o644));
    } catch (cause) {
      if (codeOf(cause) !== "EEXIST") throw cannotMake(place, cause);
      this.#disown(place);
      return;
    }
    const [held, made] = [this.#held.get(place), this.#look(place)];
    if (held !== undefined && made !== undefined)
      this.#put({ ...held, made: identityOfFile(made) });
  }

  #disown(place: AbsolutePath): void {
    const held = this.#held.get(place);
    this.#held.delete(place);
    this.#dirty = true;
    if (held === undefined || !this.#isShared(place)) return;
    const { made, madeAfter, ...others } = held;
    this.#put(others);
  }

  /** False when it has to stay for somebody else. */
  #remove(held: HeldPath, isNeeded: (place: string) => boolean): boolean {
    const { path: place, kind } = held;
    const now = this.#look(place);
    if (now === undefined || !isMade(now, held)) return true;
    if (isNeeded(place)) return false;
    try {
      const entry = this.#paths.entry(parseAbsolutePath(place));
      if (kind === "folder") fs.rmdirSync(entry);
      else if (now.size === 0n) fs.unlinkSync(entry);
    } catch {
      // It is in use as something else now, or gone; or it goes with what is held in it.
      return !this.#isAround(place);
    }
    return true;
  }

  /** Whether something that has to stay lies in it: what has not was removed first. */
  #isAround(place: string): boolean {
    return this.#held.values().some(({ path: inside }) => inside.startsWith(`${place}/`));
  }

  #exists(place: string): boolean {
    return this.#look(place) !== undefined;
  }

  #look(place: string): fs.BigIntStats | undefined {
    try {
      const entry = this.#paths.entry(parseAbsolutePath(place));
      return fs.lstatSync(entry, { throwIfNoEntry: false, bigint: true });
    } catch {
      return undefined;
    }
  }

  /** Others may write to the folder, so other users' sandboxes may need the same placeholder. */
  #isShared(place: string): boolean {
    const folder = path.dirname(place);
    const isShared = this.#shared.get(folder) ?? this.#canOthersWrite(place);
    this.#shared.set(folder, isShared);
    return isShared;
  }

  /** Where there is no such folder, nobody can. */
  #canOthersWrite(place: string): boolean {
    try {
      const folder = fs.statSync(path.dirname(this.#paths.entry(parseAbsolutePath(place))));
      return (folder.mode & 0o022) !== 0;
    } catch {
      return false;
    }
  }
}

const PAUSE_MS = 1;
/** Whoever has not removed it by then leaves it where it is. */
const MOST_LEAVING_MS = 250;
/** Twice as long, for two clocks and a busy machine. */
const MOST_WAITING_MS = 500;

/** Waits while another user looks whether one of these can go: it may be gone then. */
function waitForLeaving(placeholders: readonly Placeholder[], folder: string): void {
  if (placeholders.length === 0) return;
  const begun = Date.now();
  while (Date.now() - begun < MOST_WAITING_MS) {
    const { held } = heldElsewhere(folder);
    const records = placeholders.flatMap(({ path: place }) => held.get(place) ?? []);
    const isLeaving = ({ leaving = 0 }: HeldPath) =>
      Math.abs(Date.now() - leaving) < MOST_WAITING_MS;
    if (!records.some(isLeaving)) return;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
  }
}

/** The clock that dates files is a few ticks behind. */
const CLOCK_SLACK_MS = 50;

/** The very thing that was made, or, where nobody could write that down, one made since then. */
function isMade(now: fs.BigIntStats, { made, madeAfter }: HeldPath): boolean {
  if (made !== undefined) return identityOfFile(now) === made;
  return madeAfter !== undefined && Number(now.birthtimeMs) >= madeAfter - CLOCK_SLACK_MS;
}

/** What was there before stays, whoever leaves. */
function wasMade({ made, madeAfter }: HeldPath): boolean {
  return made !== undefined || madeAfter !== undefined;
}

/** The inode alone may be used again at once; when it was born tells two of them apart. */
function identityOfFile({ dev, ino, birthtimeNs }: fs.BigIntStats): string {
  return `${dev}:${ino}:${birthtimeNs}`;
}

function deepestFirst(a: HeldPath, b: HeldPath): number {
  return b.path.length - a.path.length;
}

/** True when the process of that name, this user's or another's, is over. */
export function isGone(user: string, owner: "own" | "other" = "own"): boolean {
  return livingPid(identityIn(user), owner) === undefined;
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

function cannotMake(place: string, cause: unknown): SandboxError {
  const why = cause instanceof Error ? (codeOf(cause) ?? cause.message) : String(cause);
  return new SandboxError(
    "unprotectablePath",
    `Cannot protect "${place}": it is missing and cannot be made (${why}), expected a folder that this user can write`,
    { cause },
  );
}
