/**
 * What a run left that other programs run or trust later, and what it has under names that are denied.
 *
 * The policy allows these writes, since no project could be worked on without
 * them, and a pattern hides only what was there at the start; a person should know of them all the same. The look is bounded: the
 * folders nearest to each writable root, and the folders programs are looked
 * up in. Where a bound ended it, the answer says that it is not complete.
 */
import fs from "node:fs";
import path from "node:path";
import {
  type AbsolutePath,
  accessTo,
  type BoundProfile,
  compileAccess,
  PROTECTED_NAMES,
} from "../../policy/index.ts";
import { type GlobEntry, readLargeFolder } from "../files/globs/glob-entry.ts";
import type { Receipt } from "./receipt.ts";

/** A name, and why it counts. */
interface Reason {
  readonly name: string;
  readonly why: string;
}

/** By the name in small letters: some file systems take them for the same. */
type Reasons = ReadonlyMap<string, Reason>;

function reasons(of: Readonly<Record<string, string>>): Reasons {
  return new Map(Object.entries(of).map(([name, why]) => [name.toLowerCase(), { name, why }]));
}

const SHELL = "the next shell runs it";
const INSTRUCTIONS = "agents take it for instructions";

/** What counts in any folder. Protected names are kept only at the top of a root. */
const RUN_LATER = reasons({
  ...Object.fromEntries(PROTECTED_NAMES.map(({ name, reason }) => [name, reason])),
  ".npmrc": "npm obeys it",
  ".yarnrc.yml": "yarn obeys it and may load plugins from it",
  ".pnpmfile.cjs": "pnpm runs it",
  "pip.conf": "pip obeys it",
  "package.json": "its scripts run with the next install or build",
  "AGENTS.md": INSTRUCTIONS,
  "CLAUDE.md": INSTRUCTIONS,
  "GEMINI.md": INSTRUCTIONS,
  ".cursorrules": INSTRUCTIONS,
  ".cursor": "the editor reads rules and servers there",
  ".devcontainer": "the editor builds and runs it",
  ".devcontainer.json": "the editor builds and runs it",
  ".husky": "git may be told to run hooks there",
});

/** What counts where a root is somebody's home. */
const RUN_LATER_AT_HOME = reasons({
  ".bashrc": SHELL,
  ".bash_profile": SHELL,
  ".zshrc": SHELL,
  ".zshenv": SHELL,
  ".profile": SHELL,
});

/** What git obeys in a folder that it takes for a repository, although it is not called `.git`. */
const REPOSITORY = reasons(
  Object.fromEntries(
    ["HEAD", "commondir", "config", "config.worktree", "hooks"].map((name) => [
      name,
      "git takes the folder for a repository and obeys what it says",
    ]),
  ),
);

const DEPTH = 5;
const MOST_FOLDERS = 2000;
/** In all of them: a command can make millions, and this process must live to tell how it ended. */
const MOST_NAMES = 200_000;
const MOST_FILES = 50;
/** Packages come by the thousand; what they run is asked for in `package.json`. */
const NOT_ENTERED = new Set(["node_modules"]);
/** Every commit changes them, and nothing in them runs. */
const INERT = new Set(["objects", "refs", "logs"]);

export interface LeftBehindQuestion {
  /** When the run started, in milliseconds. */
  readonly since: number;
  /** The `PATH` of whoever started it. */
  readonly searchPath: string | undefined;
  /** Whether what patterns deny was hidden from the run, by real path; nothing was where this is left out. */
  readonly isHidden?: (path: string) => boolean;
}

/** Everything of that kind that changed in writable places since the run started. */
export function findLeftBehind(
  profile: BoundProfile,
  question: LeftBehindQuestion,
): Receipt["leftBehind"] {
  if (profile.files.type === "unrestricted") return { kind: "notLookedFor" };
  const { searchPath = "" } = question;
  const { entries } = profile.files;
  const roots = entries.filter(({ access }) => access === "write").map((entry) => entry.path);
  const [look, programs] = [new Look(profile, question), new Look(profile, question)];
  look.below(roots);
  const installed = roots.map((root) => path.join(root, "node_modules/.bin"));
  for (const folder of [...searchPath.split(":"), ...installed]) programs.atPrograms(folder);
  const found = new Map([...look.found, ...programs.found]);
  const files = [...found].map(([file, why]) => ({ path: file, why }));
  const complete = look.isComplete && programs.isComplete && files.length <= MOST_FILES;
  return { kind: "lookedFor", files: files.slice(0, MOST_FILES), complete };
}

class Look {
  readonly found = new Map<string, string>();
  readonly #profile: BoundProfile;
  readonly #patterns: ReturnType<typeof compileAccess>["globs"];
  readonly #since: number;
  readonly #isHidden: (path: string) => boolean;
  #left = MOST_FOLDERS;
  #leftNames = MOST_NAMES;
  /** Whether a folder was too deep, or closed to this look by whoever owns it. */
  #hasUnseen = false;

  constructor(profile: BoundProfile, { since, isHidden = () => false }: LeftBehindQuestion) {
    this.#profile = profile;
    this.#patterns = compileAccess(profile).globs;
    this.#since = since;
    this.#isHidden = isHidden;
  }

  get isComplete(): boolean {
    return this.#left >= 0 && !this.#hasUnseen;
  }

  /** Nearest first, so that a deep tree beside it does not hide what lies near. */
  below(roots: readonly string[]): void {
    for (const root of roots) this.#note(root, RUN_LATER_AT_HOME.values());
    let level = [...new Set(roots)];
    for (let depth = 0; depth <= DEPTH && this.#left >= 0; depth += 1) {
      level = level.flatMap((folder) => this.#folder(folder));
    }
    if (level.length > 0) this.#hasUnseen = true;
  }

  atPrograms(folder: string): void {
    if (!path.isAbsolute(folder) || !this.#isWritable(folder)) return;
    for (const { name } of this.#list(folder) ?? []) {
      const mode = unlessClosed(() => fs.statSync(path.join(folder, name)))?.mode ?? 0;
      if ((mode & 0o111) !== 0) this.#note(folder, [{ name, why: "it can be run by its name" }]);
    }
  }

  #folder(folder: string): string[] {
    const entries = this.#list(folder);
    this.#note(folder, likely(entries, RUN_LATER));
    if (entries === undefined) return [];
    const python = entries.filter(({ name }) => name.endsWith(".pth"));
    this.#note(
      folder,
      python.map(({ name }) => ({ name, why: "the next Python runs it" })),
    );
    if (isRepository(entries)) this.#note(folder, likely(entries, REPOSITORY));
    this.#noteDenied(folder, entries);
    return entries
      .filter((entry) => entry.isDirectory() && !NOT_ENTERED.has(entry.name))
      .filter(({ name }) => RUN_LATER.get(name.toLowerCase())?.name !== name)
      .map(({ name }) => path.join(folder, name));
  }

  #note(folder: string, reasons: Iterable<Reason>): void {
    for (const { name, why } of reasons) {
      const file = path.join(folder, name);
      if (this.#isWritable(file) && this.#changed(file, DEPTH)) this.found.set(file, why);
    }
  }

  /** What was there at the start was hidden, whoever changed it since. What else has such a name by now was not; of a folder, its name is enough. */
  #noteDenied(folder: string, entries: readonly GlobEntry[]): void {
    if (this.#deniedBy(folder) !== undefined) return;
    for (const { name } of entries) {
      const file = path.join(folder, name);
      const denied = this.#deniedBy(file);
      const found = denied && unlessClosed(() => fs.lstatSync(file));
      if (found === undefined || found.ctimeMs < this.#since) continue;
      const real = unlessClosed(() => fs.realpathSync(folder)) ?? folder;
      if (this.#isHidden(path.join(real, name))) continue;
      this.found.set(file, `it was made after the start, so ${denied?.rule} did not hide it`);
    }
  }

  #deniedBy(file: string): { readonly rule: string } | undefined {
    return this.#patterns?.match(path.normalize(file).slice(1).split("/"));
  }

  /** The thing itself, or what is in it that near. */
  #changed(file: string, levels: number): boolean {
    const found = unlessClosed(() => fs.lstatSync(file));
    if (found === undefined) return false;
    if (found.ctimeMs >= this.#since) return true;
    if (!found.isDirectory()) return false;
    if (levels === 0) {
      this.#hasUnseen = true;
      return false;
    }
    return (this.#list(file) ?? [])
      .filter(({ name }) => !INERT.has(name))
      .some(({ name }) => this.#changed(path.join(file, name), levels - 1));
  }

  #isWritable(file: string): boolean {
    return accessTo(this.#profile, path.normalize(file) as AbsolutePath) === "write";
  }

  /** Nothing where the folder does not tell, has too much to tell, or the look is over. */
  #list(folder: string): GlobEntry[] | undefined {
    this.#left -= 1;
    if (this.#left < 0) return undefined;
    // Never all that is left: one folder must not hide what lies in the others.
    const most = Math.ceil(this.#leftNames / 2);
    const entries = unlessClosed(() => readLargeFolder(folder, most));
    this.#leftNames -= entries?.length ?? 0;
    if (this.#leftNames < 0) this.#left = -1;
    if (this.#left < 0) return undefined;
    if (entries !== undefined && entries.length > most) {
      this.#hasUnseen = true;
      return undefined;
    }
    entries?.sort((a, b) => (a.name < b.name ? -1 : 1));
    if (entries === undefined && isOwnFolder(folder)) this.#hasUnseen = true;
    if (entries?.some((one) => one.isDirectory() && isUnnameable(folder, one.name))) {
      this.#hasUnseen = true;
    }
    return entries;
  }
}

/**
 * Those that may be there. Which names are the same is for the file system to say, where others than
 * plain ones are among them or the folder does not tell its names.
 */
function likely(entries: readonly GlobEntry[] | undefined, all: Reasons): Iterable<Reason> {
  if (!entries?.every(({ name }) => PLAIN.test(name))) return all.values();
  return entries.flatMap(({ name }) => all.get(name.toLowerCase()) ?? []);
}

const PLAIN = /^[\x20-\x7e]*$/;

/** A command may close what it made, and must not get rid of its receipt that way. */
function unlessClosed<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

/** Node puts a sign in the place of bytes that are no UTF-8: nobody can look into such a folder from here. */
function isUnnameable(folder: string, name: string): boolean {
  return name.includes("\uFFFD") && !fs.existsSync(path.join(folder, name));
}

/** The command is the same user: it can have closed this one, and nobody else's. */
function isOwnFolder(folder: string): boolean {
  const found = unlessClosed(() => fs.statSync(folder));
  return found?.isDirectory() === true && found.uid === process.getuid?.();
}

/** As git sees it: a folder needs no `.git` to be a repository. See gitrepository-layout(5). */
function isRepository(entries: readonly GlobEntry[]): boolean {
  const has = (name: string) => entries.some((entry) => entry.name === name);
  return has("HEAD") && ((has("objects") && has("refs")) || has("commondir"));
}
