/** What is known of a skill before anybody asks for it, and where it was found. */
import type { PermissionProfile } from "../../policy/index.ts";

/** A folder in which folders of skills lie. */
export interface SkillRoot {
  readonly folder: string;
  /** Whose word it is: `repo` for what comes with the code that an agent works on. */
  readonly scope: "user" | "repo";
  /** What the root must not lead out of; it may lead anywhere where this is left out. */
  readonly within?: string;
}

/** What `SKILL.md` says of itself above its text. */
export interface SkillHead {
  readonly name: string;
  readonly description: string;
  /** The only tools that are left when it is loaded, as it names them; null where it says nothing. */
  readonly allowedTools: readonly string[] | null;
  /** What everything is held to at most when it is loaded; null where it says nothing. */
  readonly policy: PermissionProfile | null;
  /** Whether only a person may load it. */
  readonly isManual: boolean;
}

/** A file of a skill, as a look found it. */
export interface SkillFile {
  /** From the folder of the skill, with `/`. */
  readonly path: string;
  readonly size: number;
  readonly isExecutable: boolean;
  /** Is another one when the file was changed, as far as a look can tell. */
  readonly stamp: string;
  /** When that was, in milliseconds since 1970. */
  readonly changedAt: number;
}

export interface Skill extends SkillHead {
  /** Real and absolute. */
  readonly folder: string;
  readonly scope: SkillRoot["scope"];
  readonly files: readonly SkillFile[];
}
