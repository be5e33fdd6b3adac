/**
 * How files of skills are called, wherever they are.
 *
 * In a sandbox they lie on its shelf, whose place is in a variable of every
 * command. The same spelling is understood by tools before there is a sandbox.
 */
import path from "node:path";
import type { Skill } from "./skill.ts";

/** Where skills lie on a shelf. */
export const SHELVED_SKILLS = "skills";

const VARIABLE = /^\$(?:WRIT_SHELF|\{WRIT_SHELF\})(?=\/|$)/;

/** What a path names on a shelf, from the top of it; undefined for a path of another place. */
export function onShelf(text: string): string | undefined {
  const trimmed = text.trim();
  const [variable] = VARIABLE.exec(trimmed) ?? [];
  if (variable === undefined) return undefined;
  return path.posix.normalize(`.${trimmed.slice(variable.length)}`).replace(/\/$/, "");
}

/** The folder of a skill, as a command or a tool names it. */
export function shelvedFolder(name: string): string {
  return `$WRIT_SHELF/${SHELVED_SKILLS}/${name}`;
}

export interface HostSkillFile {
  readonly skill: Skill;
  /** From the skill's folder. */
  readonly path: string;
}

/** The host's file behind a path on a shelf; undefined for another place, an unknown skill and a skill's own folder. */
export function resolveSkillFile(
  shelved: string,
  skills: readonly Skill[],
): HostSkillFile | undefined {
  const [top, name, ...rest] = path.posix.normalize(shelved).split("/");
  if (top !== SHELVED_SKILLS || rest.length === 0 || rest.includes("..")) return undefined;
  const skill = skills.find((one) => one.name === name);
  return skill && { skill, path: rest.join("/") };
}
