/** A skill as it is when somebody asks for it: read again, on the host, whatever a look saw before. */
import path from "node:path";
import { readSkillText } from "./discover-skills.ts";
import { readFrontMatter } from "./front-matter/read-front-matter.ts";
import { shelvedFolder } from "./on-shelf.ts";
import type { Skill, SkillHead } from "./skill.ts";

export interface LoadedSkill {
  readonly head: SkillHead;
  /** What a model is told: the text of the skill, where its files are and which there are. */
  readonly text: string;
}

/** What a model reads at once. */
const MOST_CHARACTERS = 60_000;
const MOST_LISTED = 100;
/** What texts call the folder that they lie in. */
const FOLDER_VARIABLE = /\$\{CLAUDE_SKILL_(?:ROOT|DIR)\}/g;

/** The skill of a name, whatever the case of its letters and whatever is around it. */
export function findSkill(skills: readonly Skill[], name: string): Skill | undefined {
  const wanted = name.trim().toLowerCase();
  return skills.find((one) => one.name.toLowerCase() === wanted);
}

/** Loads it. Throws a sentence where it can no longer be used. */
export function loadSkill(skill: Skill, home: string): LoadedSkill {
  const place = { folderName: path.basename(skill.folder), home };
  const { head, body, problems } = readFrontMatter(readSkillText(skill.folder), place);
  if (head === undefined) {
    const why = problems.find(({ severity }) => severity === "error")?.message;
    throw new Error(`Cannot load the skill "${skill.name}": ${why}`);
  }
  if (head.name.toLowerCase() !== skill.name.toLowerCase()) {
    const what = `it calls itself "${head.name}" now, expected it to keep its name`;
    throw new Error(`Cannot load the skill "${skill.name}": ${what}`);
  }
  return { head, text: textOf(skill, body) };
}

function textOf({ name, files }: Skill, body: string): string {
  const folder = shelvedFolder(name);
  const own = body.replace(FOLDER_VARIABLE, () => folder);
  // The end may cut a character in two, and half of one cannot be sent.
  const shown = own.slice(0, MOST_CHARACTERS).toWellFormed();
  const cut = shown.length < own.length ? [`[cut: ${own.length} characters in all]`] : [];
  return [
    `Skill "${name}". Its folder is ${folder}; paths in it start there.`,
    ...listOf(files.map((file) => file.path)),
    "",
    shown,
    ...cut,
  ].join("\n");
}

function listOf(paths: readonly string[]): string[] {
  const others = paths.filter((one) => one !== "SKILL.md");
  if (others.length === 0) return [];
  const left = others.length - MOST_LISTED;
  return [
    "Its files:",
    ...others.slice(0, MOST_LISTED).map((one) => `- ${one}`),
    ...(left > 0 ? [`- and ${left} more`] : []),
  ];
}
