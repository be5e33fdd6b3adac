/**
 * All files of one skill, by a bounded look that follows no link.
 *
 * A skill that has more than there is room for is refused as a whole: half of
 * one would be another skill. What is no plain file is left out and said.
 */
import fs from "node:fs";
import path from "node:path";
import type { SkillFile } from "../skill.ts";

/** Of one skill. */
export const SKILL_LIMITS = {
  files: 2000,
  folders: 500,
  depth: 8,
  fileBytes: 16 << 20,
  bytes: 64 << 20,
} as const;

export interface ListedFiles {
  readonly files: readonly SkillFile[];
  /** What was left out, from the folder of the skill, and why. */
  readonly left: readonly { readonly path: string; readonly why: string }[];
}

/** Lists them by path. Throws a sentence where there is too much, or where a name cannot be said. */
export function listSkillFiles(folder: string): ListedFiles {
  const listing = new Listing(folder);
  listing.run();
  return { files: listing.files.sort(byPath), left: listing.left };
}

class Listing {
  readonly files: SkillFile[] = [];
  readonly left: { path: string; why: string }[] = [];
  readonly #folder: string;
  readonly #waiting = [{ at: "", depth: 0 }];
  #folders = 0;
  #bytes = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  run(): void {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      this.#folders += 1;
      refuseMore(this.#folders, SKILL_LIMITS.folders, "folders");
      for (const name of namesIn(path.join(this.#folder, next.at))) {
        this.#take(next.at === "" ? name : `${next.at}/${name}`, next.depth + 1);
      }
    }
  }

  #take(at: string, depth: number): void {
    const found = fs.lstatSync(path.join(this.#folder, at), { bigint: true });
    if (found.isDirectory() && !SKIPPED.has(path.basename(at))) {
      refuseMore(depth, SKILL_LIMITS.depth, "folders inside each other");
      this.#waiting.push({ at, depth });
    } else if (found.isFile()) this.#add(fileOf(at, found));
    else this.#leave(at, found);
  }

  #add(file: SkillFile): void {
    if (file.size > SKILL_LIMITS.fileBytes) {
      const expected = `at most ${SKILL_LIMITS.fileBytes}`;
      throw new Error(`"${file.path}" has ${file.size} bytes, expected ${expected}`);
    }
    this.#bytes += file.size;
    this.files.push(file);
    refuseMore(this.#bytes, SKILL_LIMITS.bytes, "bytes");
    refuseMore(this.files.length, SKILL_LIMITS.files, "files");
  }

  #leave(at: string, found: fs.BigIntStats): void {
    const why = found.isSymbolicLink() ? "it is a link" : "it is no part of a skill";
    this.left.push({ path: at, why });
    refuseMore(this.left.length, SKILL_LIMITS.files, "files");
  }
}

/** Of no use in a skill, and big. */
const SKIPPED = new Set([".git", "node_modules", "__pycache__"]);
const EXECUTABLE = 0o111n;

/** Names are lines of lists and words of sentences, so those that would be more are refused. */
function namesIn(folder: string): string[] {
  const names: string[] = [];
  const opened = fs.opendirSync(folder);
  try {
    for (let one = opened.readSync(); one !== null; one = opened.readSync()) {
      refuseMore(names.length + 1, SKILL_LIMITS.files, "files");
      if (hasUnsayable(one.name)) {
        throw new Error(
          `a name in it is ${JSON.stringify(one.name)}, expected names without control characters`,
        );
      }
      names.push(one.name);
    }
  } finally {
    opened.closeSync();
  }
  return names.sort();
}

/** Also what stands for bytes that are no UTF-8. */
function hasUnsayable(name: string): boolean {
  return /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\\\uFFFD]/u.test(name);
}

function fileOf(at: string, found: fs.BigIntStats): SkillFile {
  const { dev, ino, size, mtimeNs, ctimeNs, mode } = found;
  return {
    path: at,
    size: Number(size),
    isExecutable: (mode & EXECUTABLE) !== 0n,
    stamp: `${dev}-${ino}-${size}-${mtimeNs}-${ctimeNs}`,
    changedAt: Number(ctimeNs / 1_000_000n),
  };
}

function refuseMore(count: number, most: number, what: string): void {
  if (count > most) throw new Error(`it has more than ${most} ${what}, expected fewer`);
}

function byPath(one: SkillFile, other: SkillFile): number {
  return one.path < other.path ? -1 : 1;
}
