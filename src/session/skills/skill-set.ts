import type { Skill } from "./skill.ts";

/** All skills of some roots, by name, and what is wrong there. */
export interface SkillSet {
  readonly skills: readonly Skill[];
  readonly problems: readonly SkillProblem[];
}

/** Something that is not as it should be. With an error there is no skill. */
export interface SkillProblem {
  readonly severity: "error" | "warning";
  readonly path: string;
  readonly message: string;
}
