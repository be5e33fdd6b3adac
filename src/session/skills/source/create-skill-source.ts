/**
 * The skills of folders, looked for whenever somebody asks, and news of changes in their roots.
 *
 * Nothing is believed for longer than a look: whoever begins a turn asks again.
 * Watching only says when it is worth it, for those who show a list.
 */
import fs from "node:fs";
import path from "node:path";
import { discoverSkills, SKILL_FILE } from "../discover-skills.ts";
import type { Skill, SkillRoot } from "../skill.ts";
import type { SkillSet } from "../skill-set.ts";
import { FolderWatch } from "./folder-watch.ts";

/** Where skills of a folder come from. */
export interface SkillPlaces {
  /** The first one counts of two with one name. */
  readonly roots: readonly SkillRoot[];
  /** Skills that are not to be used: their folders, their files or their names. */
  readonly disabled: readonly string[];
}

export interface SkillSourceOptions {
  /** Those of a folder of this machine; of nobody's folder for null. */
  readonly places: (folder: string | null) => Promise<SkillPlaces>;
  /** What `~` means in policies of skills. */
  readonly home: string;
}

export interface ListedSkills extends SkillSet {
  /** Found, and switched off by the user. */
  readonly disabled: readonly Skill[];
}

export interface SkillSource {
  readonly home: string;
  /** Looks at the roots of now. Throws where they cannot be told. */
  list(folder: string | null): Promise<ListedSkills>;
  /** Tells of every change in the roots of folders that were listed lately. */
  onChange(tell: () => void): void;
  /** Stops watching. */
  close(): void;
}

/** Folders whose roots are watched; then the one that was asked for longest ago is not any more. */
const MOST_WATCHED = 16;

interface Followed {
  readonly places: SkillPlaces;
  readonly signature: string;
}

export function createSkillSource({ places, home }: SkillSourceOptions): SkillSource {
  const followed = new Map<string | null, Followed>();
  const listeners: (() => void)[] = [];
  const look = (at: SkillPlaces) => withoutDisabled(discoverSkills(at.roots, home), at.disabled);
  const follow = (folder: string | null, at: SkillPlaces, found: ListedSkills) => {
    followed.delete(folder);
    followed.set(folder, { places: at, signature: JSON.stringify(found) });
    const [oldest] = followed.keys();
    if (followed.size > MOST_WATCHED && oldest !== undefined) followed.delete(oldest);
  };
  const watch = new FolderWatch(() => {
    let isChanged = false;
    for (const [folder, { places: at, signature }] of [...followed]) {
      const found = look(at);
      if (JSON.stringify(found) === signature) continue;
      isChanged = true;
      followed.set(folder, { places: at, signature: JSON.stringify(found) });
    }
    arm();
    if (isChanged) for (const tell of listeners) tell();
  });
  const arm = () => {
    if (listeners.length > 0) watch.follow([...followed.values()].flatMap(rootsOf));
  };
  return {
    home,
    async list(folder) {
      const at = await places(folder);
      const found = look(at);
      follow(folder, at, found);
      arm();
      return found;
    },
    onChange(tell) {
      listeners.push(tell);
      arm();
    },
    close: () => watch.close(),
  };
}

function rootsOf({ places: { roots } }: Followed): string[] {
  return roots.map(({ folder }) => folder);
}

/** One that is switched off still has its name: no other skill takes its place. */
function withoutDisabled(found: SkillSet, disabled: readonly string[]): ListedSkills {
  const off = new Set(
    disabled.map((one) => (path.isAbsolute(one) ? realOf(one) : one.trim().toLowerCase())),
  );
  const isOff = ({ name, folder }: Skill) =>
    [name.toLowerCase(), folder, path.join(folder, SKILL_FILE)].some((one) => off.has(one));
  return {
    skills: found.skills.filter((one) => !isOff(one)),
    disabled: found.skills.filter(isOff),
    problems: found.problems,
  };
}

/** Folders of skills are real ones, and a path may lead to one through a link. */
function realOf(place: string): string {
  try {
    return fs.realpathSync(place);
  } catch {
    return place;
  }
}
