/** Folders of skills that a test lays out, for as long as it runs. */
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { discoverSkills, type Skill, type SkillSet } from "../../../../src/session/index.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

export const FIXTURES = path.resolve(import.meta.dirname, "../../../fixtures/skills");

/** What `SKILL.md` says above its text, as lines. */
export function skillText(lines: readonly string[], body = "Do it."): string {
  return ["---", ...lines, "---", "", body, ""].join("\n");
}

export interface SkillFolder {
  readonly root: string;
  /** Writes a file, with the folders above it. */
  put(file: string, content: string | Uint8Array, mode?: number): string;
  /** A skill with nothing wrong with it, and more lines above its text. */
  skill(name: string, more?: readonly string[], body?: string): void;
  remove(file: string): void;
  look(): SkillSet;
  /** The one of that name. */
  find(name: string): Skill;
}

export function skillFolder(): SkillFolder {
  const root = temporaryFolder();
  const put: SkillFolder["put"] = (file, content, mode) => {
    const at = path.join(root, file);
    mkdirSync(path.dirname(at), { recursive: true });
    writeFileSync(at, content);
    if (mode !== undefined) chmodSync(at, mode);
    return at;
  };
  const look = () => discoverSkills([{ folder: root, scope: "user" }], "/home/me");
  return {
    root,
    put,
    skill: (name, more = [], body = "Do it.") => {
      const lines = [`name: ${name}`, `description: Does ${name}.`, ...more];
      put(`${name}/SKILL.md`, skillText(lines, body));
    },
    remove: (file) => rmSync(path.join(root, file), { recursive: true }),
    look,
    find(name) {
      const found = look().skills.find((one) => one.name === name);
      if (found === undefined) throw new Error(`there is no skill "${name}"`);
      return found;
    },
  };
}
