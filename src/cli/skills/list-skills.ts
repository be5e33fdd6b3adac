/** Skills, for a person or as JSON. What is in them comes from strangers: a line each, nothing a terminal obeys. */
import fs from "node:fs";
import path from "node:path";
import { loadConfig, REQUIREMENTS } from "../../config/index.ts";
import { visibleLine } from "../../sandbox/index.ts";
import {
  createSkillSource,
  discoverSkill,
  discoverSkills,
  type ListedSkills,
  type Skill,
  type SkillProblem,
  type SkillSet,
} from "../../session/index.ts";
import { type CliWorld, type FlagValues, UsageError } from "../command.ts";
import { folderProblem } from "../help/folder-problem.ts";
import { sayNone } from "../help/say-none.ts";
import { ownHome } from "../policy/bind-flags.ts";
import { skillPlaces } from "./skill-places.ts";

const NAME_COLUMNS = 24;
const COLUMNS = 80;

/** `list`: what a thread in a folder would have. Problems are told, and are no failure. */
export async function listSkills(
  at: string | undefined,
  { json }: FlagValues,
  world: CliWorld,
): Promise<number> {
  const folder = at === undefined ? world.cwd : folderOf("list the skills of", at, world);
  const found = await skillsOf(folder, world);
  if (json) world.out(`${JSON.stringify(asJson(found), null, 2)}\n`);
  else {
    for (const one of found.skills) world.out(lineOf(one, ""));
    for (const one of found.disabled) world.out(lineOf(one, " (off)"));
    for (const one of found.problems) world.err(sentenceOf(one));
    if (found.skills.length + found.disabled.length === 0) {
      sayNone(`a thread in "${folder}" would have no skill`, world);
    }
  }
  return 0;
}

/** `check`: every problem counts, also those that a thread would look over. */
export async function checkSkills(
  at: string | undefined,
  { json }: FlagValues,
  world: CliWorld,
): Promise<number> {
  const found = at === undefined ? await skillsOf(world.cwd, world) : skillsAt(at, world);
  if (json) world.out(`${JSON.stringify(asJson({ disabled: [], ...found }), null, 2)}\n`);
  else {
    for (const one of found.problems) world.err(sentenceOf(one));
    const count = found.problems.length;
    world.out(`${found.skills.length} usable, ${count} problem${count === 1 ? "" : "s"}\n`);
  }
  return found.problems.length === 0 ? 0 : 1;
}

async function skillsOf(folder: string, world: CliWorld): Promise<ListedSkills> {
  const { settings } = await loadConfig({
    ...{ writHome: ownHome(world), folder, requirements: REQUIREMENTS, hostname: world.hostname },
  });
  const source = createSkillSource({
    places: async (at) => skillPlaces(settings.skills, world, at),
    home: world.home,
  });
  return source.list(folder);
}

/** No thread starts where nothing is, so nobody may take an empty list for what it would have. */
function folderOf(doing: string, at: string, { cwd }: CliWorld): string {
  const folder = path.resolve(cwd, at);
  const what = at === "" ? "it is empty" : folderProblem(folder);
  if (what === undefined) return folder;
  const isFile = at !== "" && fs.existsSync(folder);
  const expected = isFile ? "the folder that it lies in" : "a folder";
  throw new UsageError(`Cannot ${doing} "${at}": ${what}, expected ${expected}`);
}

/** A folder with a `SKILL.md` is a skill; any other is a root of skills. */
function skillsAt(at: string, world: CliWorld): SkillSet {
  const folder = folderOf("check", at, world);
  const { home } = world;
  if (fs.existsSync(path.join(folder, "SKILL.md"))) return discoverSkill(folder, home);
  const found = discoverSkills([{ folder, scope: "user" }], home);
  if (found.skills.length > 0 || found.problems.length > 0) return found;
  throw new UsageError(`Cannot check "${at}": there is no SKILL.md in it, expected one`);
}

function asJson({ skills, disabled, problems }: ListedSkills) {
  const told = (isEnabled: boolean) => (one: Skill) => ({
    ...{ name: one.name, description: one.description, scope: one.scope, isEnabled },
    ...{ folder: one.folder, files: one.files.length, allowedTools: one.allowedTools },
    ...{ hasPolicy: one.policy !== null, isManual: one.isManual },
  });
  return { skills: [...skills.map(told(true)), ...disabled.map(told(false))], problems };
}

function lineOf({ name, description }: Skill, mark: string): string {
  return `${visibleLine(`${(name + mark).padEnd(NAME_COLUMNS)}  ${description}`, COLUMNS)}\n`;
}

function sentenceOf({ severity, path: at, message }: SkillProblem): string {
  return `${severity}: ${visibleLine(`${at}: ${message}`)}\n`;
}
