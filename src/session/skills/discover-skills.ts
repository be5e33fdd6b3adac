/**
 * Finds the skills of some roots, on the host, by a bounded look that follows no link.
 *
 * Of two skills with one name the one that comes first in the order of roots
 * counts, and one that is refused keeps its name: what is wrong with a skill
 * must not put another one in its place. It takes no skill of another name away.
 */
import fs from "node:fs";
import path from "node:path";
import { listSkillFiles, SKILL_LIMITS } from "./files/list-skill-files.ts";
import { readConfined } from "./files/read-confined.ts";
import { readFrontMatter } from "./front-matter/read-front-matter.ts";
import type { Skill, SkillRoot } from "./skill.ts";
import type { SkillProblem, SkillSet } from "./skill-set.ts";

/** The file that makes a folder a skill. */
export const SKILL_FILE = "SKILL.md";
/** A text that a model reads as a whole takes a few pages. */
const MOST_TEXT_BYTES = 256 << 10;

/** Of one root. */
const MOST_FOLDERS = 2000;
const MOST_SKILLS = 200;
const MOST_DEPTH = 4;
const SKIPPED = new Set([".git", "node_modules"]);

/** Looks at all roots, the first one first. Never throws for what is in them; `home` is what `~` means. */
export function discoverSkills(roots: readonly SkillRoot[], home: string): SkillSet {
  const problems: SkillProblem[] = [];
  const folders = new Map<string, string>();
  const room = new Room();
  const found = roots.flatMap((root) =>
    foldersIn(root, problems).map((folder) => skillAt(folder, { root, home }, problems)),
  );
  const skills = found.flatMap(({ folder, names, skill }) => {
    const first = skill && folders.get(skill.name.toLowerCase());
    for (const name of names.map((one) => one.toLowerCase())) {
      if (!folders.has(name)) folders.set(name, folder);
    }
    if (skill === undefined) return [];
    const problem = first === undefined ? room.refuse(skill) : shadowed(skill, first);
    if (problem === undefined) return [skill];
    problems.push(problem);
    return [];
  });
  return { skills: skills.sort((a, b) => (a.name < b.name ? -1 : 1)), problems };
}

/** Looks at one folder as a skill, for whoever checks it. */
export function discoverSkill(folder: string, home: string): SkillSet {
  const problems: SkillProblem[] = [];
  const real = fs.realpathSync(folder);
  const root: SkillRoot = { folder: path.dirname(real), scope: "user" };
  const { skill } = skillAt(real, { root, home }, problems);
  return { skills: skill === undefined ? [] : [skill], problems };
}

/** The folders with a `SKILL.md`; nothing below one of them is another skill. */
function foldersIn(root: SkillRoot, problems: SkillProblem[]): string[] {
  const start = realRoot(root, problems);
  if (start === undefined) return [];
  const found: string[] = [];
  const waiting = [{ folder: start, depth: 0 }];
  let looked = 0;
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    looked += 1;
    if (looked > MOST_FOLDERS || found.length >= MOST_SKILLS) {
      const most = `${MOST_FOLDERS} folders and ${MOST_SKILLS} skills`;
      const message = `there is more in it than is looked at, expected at most ${most}`;
      problems.push({ severity: "error", path: start, message });
      break;
    }
    if (next.depth > 0 && isSkill(next.folder)) {
      found.push(next.folder);
      continue;
    }
    if (next.depth >= MOST_DEPTH) continue;
    const entries = entriesOf(next.folder, problems);
    const depth = next.depth + 1;
    waiting.push(
      ...foldersBelow(next.folder, entries, problems).map((one) => ({ folder: one, depth })),
    );
  }
  return found;
}

function realRoot({ folder, within }: SkillRoot, problems: SkillProblem[]): string | undefined {
  try {
    // Most are not there, with every turn: to make an error of each takes longer than all the rest.
    if (fs.statSync(folder, { throwIfNoEntry: false }) === undefined) return undefined;
    const real = fs.realpathSync(folder);
    if (within === undefined || isBelow(real, fs.realpathSync(within))) return real;
    const message = "it leads out of its project, expected a folder inside";
    problems.push({ severity: "error", path: folder, message });
  } catch (cause) {
    const code = codeOf(cause);
    if (code !== "ENOENT" && code !== "ENOTDIR") problems.push(unreadable(folder, code));
  }
  return undefined;
}

/** Also where the file is a link, or cannot be read: then it is a skill that is refused. */
function isSkill(folder: string): boolean {
  try {
    return fs.lstatSync(path.join(folder, SKILL_FILE), { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

function entriesOf(folder: string, problems: SkillProblem[]): fs.Dirent[] {
  const entries: fs.Dirent[] = [];
  try {
    const opened = fs.opendirSync(folder);
    try {
      for (let one = opened.readSync(); one !== null; one = opened.readSync()) {
        if (entries.length >= SKILL_LIMITS.files) {
          const message = `it has more than ${SKILL_LIMITS.files} names, expected fewer`;
          problems.push({ severity: "error", path: folder, message });
          return [];
        }
        entries.push(one);
      }
    } finally {
      opened.closeSync();
    }
  } catch (cause) {
    problems.push(unreadable(folder, codeOf(cause)));
  }
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function foldersBelow(
  folder: string,
  entries: readonly fs.Dirent[],
  problems: SkillProblem[],
): string[] {
  return entries.flatMap((entry) => {
    const at = path.join(folder, entry.name);
    if (entry.isSymbolicLink()) {
      const message = "it is a link, expected a folder; name where it leads as a root of its own";
      problems.push({ severity: "warning", path: at, message });
    }
    return entry.isDirectory() && !SKIPPED.has(entry.name) ? [at] : [];
  });
}

/** How much all skills together may have. */
class Room {
  #files = 10_000;
  #bytes = 256 << 20;

  /** Why there is no room for one more; undefined where there is, and then it is taken. */
  refuse({ folder, files }: Skill): SkillProblem | undefined {
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    if (files.length > this.#files || bytes > this.#bytes) {
      const message = "there is no room left for its files, expected fewer or smaller skills";
      return { severity: "error", path: path.join(folder, SKILL_FILE), message };
    }
    this.#files -= files.length;
    this.#bytes -= bytes;
    return undefined;
  }
}

interface SkillPlace {
  readonly root: SkillRoot;
  readonly home: string;
}

/** A folder with a `SKILL.md`. */
interface FoundSkill {
  readonly folder: string;
  /** Those that no other skill gets; one that is refused has also that of its folder. */
  readonly names: readonly string[];
  /** Nothing where it is refused. */
  readonly skill: Skill | undefined;
}

function skillAt(folder: string, { root, home }: SkillPlace, problems: SkillProblem[]): FoundSkill {
  const file = path.join(folder, SKILL_FILE);
  const folderName = path.basename(folder);
  let called: string | undefined;
  try {
    const read = readFrontMatter(readSkillText(folder), { folderName, home });
    called = read.name;
    const { files, left } = listSkillFiles(folder);
    problems.push(...read.problems.map((one) => ({ ...one, path: file })));
    for (const { path: at, why } of left) {
      const message = `${why} and is left out, expected a plain file`;
      problems.push({ severity: "warning", path: path.join(folder, at), message });
    }
    if (read.head !== undefined) {
      const skill = { ...read.head, folder, scope: root.scope, files };
      return { folder, names: [skill.name], skill };
    }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    problems.push({ severity: "error", path: file, message });
  }
  const names = called === undefined ? [folderName] : [called, folderName];
  return { folder, names, skill: undefined };
}

/** The text of a skill's own file, as it is now. Throws a sentence. */
export function readSkillText(folder: string): string {
  const bytes = readConfined({ folder, path: SKILL_FILE, mostBytes: MOST_TEXT_BYTES });
  if (bytes === null) throw new Error(`there is no ${SKILL_FILE} any more, expected one`);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new Error(`${SKILL_FILE} is not text, expected UTF-8`, { cause });
  }
}

function shadowed(skill: Skill, first: string): SkillProblem {
  const message = `its name "${skill.name}" is that of "${first}", which counts; expected another name`;
  return { severity: "warning", path: path.join(skill.folder, SKILL_FILE), message };
}

function unreadable(folder: string, code: string): SkillProblem {
  const message = `it cannot be looked at (${code}), expected a folder that can be read`;
  return { severity: "error", path: folder, message };
}

function isBelow(place: string, folder: string): boolean {
  return place === folder || place.startsWith(folder === "/" ? "/" : `${folder}/`);
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
}
