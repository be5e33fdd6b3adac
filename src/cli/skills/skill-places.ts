/**
 * Where the skills of a folder come from: the user's own places first, then a project that the user trusts.
 *
 * The order is one of trust: a project must not put another skill in the place of one of the user's.
 */
import fs from "node:fs";
import path from "node:path";
import type { SkillSettings } from "../../config/index.ts";
import type { SkillPlaces, SkillRoot } from "../../session/index.ts";
import type { CliWorld } from "../command.ts";
import { ownHome } from "../policy/bind-flags.ts";

const SKILLS = "skills";
/** Where agents of all kinds look. */
const AGENTS = path.join(".agents", SKILLS);

/** The places of a folder of this machine, or of nobody's. */
export function skillPlaces(
  { roots, disabled, trustedProjects }: SkillSettings,
  world: CliWorld,
  folder: string | null,
): SkillPlaces {
  const { env, home } = world;
  const codex = env.CODEX_HOME || path.join(home, ".codex");
  const own = [
    path.join(ownHome(world), SKILLS),
    ...roots,
    path.join(codex, SKILLS),
    path.join(home, AGENTS),
  ].filter((one) => path.isAbsolute(one));
  const trusted = folder === null ? [] : trustedAbove(folder, trustedProjects);
  return {
    roots: [
      ...[...new Set(own)].map((one): SkillRoot => ({ folder: one, scope: "user" })),
      ...trusted.map(
        (one): SkillRoot => ({ folder: path.join(one, AGENTS), scope: "repo", within: one }),
      ),
    ],
    disabled,
  };
}

/**
 * The places to keep from commands: whoever writes in one decides what the next turn is told. Those that
 * the user names are kept also while they are not there, so that no command makes them.
 */
export function writtenPlaces(settings: SkillSettings, world: CliWorld): string[] {
  const projects = settings.trustedProjects.filter((one) => fs.existsSync(one));
  const named = [...settings.roots, ...projects.map((one) => path.join(one, AGENTS))];
  const { roots } = skillPlaces(settings, world, null);
  const there = roots.map(({ folder }) => folder).filter((one) => fs.existsSync(one));
  return [...new Set([...named, ...there])];
}

/** The nearest first. */
function trustedAbove(folder: string, trusted: readonly string[]): string[] {
  const found: string[] = [];
  for (let at = folder; ; at = path.dirname(at)) {
    if (trusted.includes(at)) found.push(at);
    if (path.dirname(at) === at) return found;
  }
}
