/**
 * Finds what deny patterns match on this disk.
 *
 * The walk goes only where a pattern can still match and stops at a match: a
 * denied folder hides what is in it. Links are followed, because a name that is
 * denied must not be readable through one; what is found is the real path. The
 * walk is bounded by entries, time and matches, and a bound that is reached is
 * a refusal: a rule that was looked at in part is not a rule that is kept.
 */
import fs from "node:fs";
import {
  type AbsolutePath,
  type GlobCursor,
  type GlobRule,
  globCursor,
  parseAbsolutePath,
} from "../../policy/index.ts";
import { SandboxError } from "../sandbox-error.ts";

export interface GlobMatch {
  readonly path: AbsolutePath;
  readonly rule: GlobRule;
}

export interface WalkBounds {
  readonly entries: number;
  readonly milliseconds: number;
  readonly matches: number;
}

export const WALK_BOUNDS: WalkBounds = { entries: 1_000_000, milliseconds: 10_000, matches: 256 };

/** Every path that a pattern denies, folders before what would be in them. */
export function expandGlobs(globs: readonly GlobRule[], bounds: WalkBounds): GlobMatch[] {
  if (globs.length === 0) return [];
  const walk = new Walk(globs, bounds);
  walk.into("", globCursor(globs));
  return walk.matches;
}

class Walk {
  readonly matches: GlobMatch[] = [];
  readonly #first: GlobRule | undefined;
  readonly #bounds: WalkBounds;
  readonly #end: number;
  readonly #followed = new Set<string>();
  #entries = 0;

  constructor([first]: readonly GlobRule[], bounds: WalkBounds) {
    this.#first = first;
    this.#bounds = bounds;
    this.#end = performance.now() + bounds.milliseconds;
  }

  into(folder: string, cursor: GlobCursor): void {
    for (const { name, kind } of listed(folder, cursor.names)) {
      this.#count();
      const here = cursor.enter(name);
      if (here === undefined) continue;
      this.#refuseMangled(name, folder);
      const path = `${folder}/${name}`;
      const real = kind === "link" ? realOrNothing(path) : { path, isFolder: kind === "folder" };
      if (real === undefined) continue;
      if (here.rule !== undefined) this.#match(real.path, here.rule);
      else if (real.isFolder && this.#isNew(real.path, here, kind)) this.into(real.path, here);
    }
  }

  /** A name that is not UTF-8 reads as another one, which could not be hidden. */
  #refuseMangled(name: string, folder: string): void {
    if (!name.includes("\ufffd")) return;
    throw unenforceable(this.#first, `a name below "${folder}" is not UTF-8`);
  }

  /** Links may lead in circles; a folder is entered through one at most once in the same state. */
  #isNew(path: string, { key }: GlobCursor, kind: Listed["kind"]): boolean {
    if (kind !== "link") return true;
    const place = `${path}\0${key}`;
    if (this.#followed.has(place)) return false;
    this.#followed.add(place);
    return true;
  }

  #match(path: string, rule: GlobRule): void {
    if (this.matches.length >= this.#bounds.matches) {
      throw unenforceable(rule, `it matches more than ${this.#bounds.matches} paths`);
    }
    this.matches.push({ path: parseAbsolutePath(path), rule });
  }

  #count(): void {
    this.#entries += 1;
    if (this.#entries > this.#bounds.entries) {
      throw unenforceable(
        this.#first,
        `more than ${this.#bounds.entries} files would be looked at`,
      );
    }
    if (this.#entries % 1024 === 0 && performance.now() > this.#end) {
      throw unenforceable(this.#first, `looking took more than ${this.#bounds.milliseconds} ms`);
    }
  }
}

interface Listed {
  readonly name: string;
  readonly kind: "folder" | "link" | "other";
}

/** Where patterns say plain names, only these are looked at, not everything beside them. */
function listed(folder: string, names: readonly string[] | undefined): Listed[] {
  if (names === undefined) {
    const entries = unlessGone(() => fs.readdirSync(folder || "/", { withFileTypes: true })) ?? [];
    return entries.map((entry) => ({ name: entry.name, kind: kindOf(entry) }));
  }
  return names.flatMap((name) => {
    const found = unlessGone(() => fs.lstatSync(`${folder}/${name}`));
    return found === undefined ? [] : [{ name, kind: kindOf(found) }];
  });
}

function kindOf(found: fs.Dirent | fs.Stats): Listed["kind"] {
  if (found.isSymbolicLink()) return "link";
  return found.isDirectory() ? "folder" : "other";
}

function realOrNothing(link: string): { path: string; isFolder: boolean } | undefined {
  return unlessGone(() => {
    const path = fs.realpathSync(link);
    return { path, isFolder: fs.statSync(path).isDirectory() };
  });
}

/** What is gone hides nothing. What is closed to us might be opened by the command, so it is a refusal. */
function unlessGone<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (["ENOENT", "ENOTDIR", "ELOOP"].includes(code)) return undefined;
    if (!(error instanceof Error)) throw error;
    const why = `Cannot look for what patterns deny: ${error.message}`;
    throw new SandboxError("unenforceableRule", why, { cause: error });
  }
}

function unenforceable(rule: GlobRule | undefined, why: string): SandboxError {
  return new SandboxError("unenforceableRule", `Cannot enforce ${rule?.rule}: ${why}`);
}
