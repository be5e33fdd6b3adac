import path from "node:path";
import type { ListedSkills, Skill } from "../../agent/index.ts";

/** The skills of a folder as clients are told of them; what is wrong with one is no part of it. */
export function writeSkills(cwd: string, { skills, disabled, problems }: ListedSkills) {
  const told = (enabled: boolean) => (one: Skill) => ({
    ...{ name: one.name, description: one.description, scope: one.scope, enabled },
    path: path.join(one.folder, "SKILL.md"),
  });
  return {
    cwd,
    skills: [...skills.map(told(true)), ...disabled.map(told(false))],
    errors: problems
      .filter(({ severity }) => severity === "error")
      .map(({ path: at, message }) => ({ path: at, message })),
  };
}
