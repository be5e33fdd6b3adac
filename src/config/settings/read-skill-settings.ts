/**
 * Where skills come from, as `[skills]` and `[projects."/path"]` of the user's file say it.
 *
 * Skills are instructions, so a project's are read only where the user trusts it;
 * nothing of a request and nothing of a project says so.
 */
import path from "node:path";
import { memberName } from "../../policy/index.ts";
import type { TomlTable } from "../read-toml-file.ts";
import { malformed, oneOf, tableOf, textOf } from "../table-of.ts";
import type { NoteKey } from "./unknown-key.ts";

export interface SkillSettings {
  /** Folders in which skills lie, besides the usual ones; absolute. */
  readonly roots: readonly string[];
  /** Skills that are not to be used: absolute paths, or names. */
  readonly disabled: readonly string[];
  /** Folders of projects whose skills may be used; absolute. */
  readonly trustedProjects: readonly string[];
}

/** The keys that {@link readSkillSettings} reads. */
export const SKILL_KEYS = ["skills", "projects"];

/** Of Codex, and about what there is not here. */
const ELSEWHERE = ["bundled", "include_instructions"];

/** Reads both tables of a whole file. A key of `[skills]` that is not known could take something away, so it is refused. */
export function readSkillSettings(table: TomlTable, where: string, note: NoteKey): SkillSettings {
  const at = memberName(where, "skills");
  const skills = table.skills === undefined ? {} : tableOf(table.skills, at);
  for (const key of Object.keys(skills)) {
    if (ELSEWHERE.includes(key)) note(`skills.${key}`);
    else if (key !== "roots" && key !== "config") {
      throw malformed(at, `unknown key "${key}", expected roots or config`);
    }
  }
  return {
    roots: listOf(skills.roots, `${at}.roots`).map((one) => absolute(one, `${at}.roots`)),
    disabled: disabledIn(listOf(skills.config, `${at}.config`), `${at}.config`),
    trustedProjects: trustedIn(table.projects, memberName(where, "projects")),
  };
}

function disabledIn(entries: readonly unknown[], where: string): string[] {
  return entries.flatMap((value) => {
    const entry = tableOf(value, where);
    const stranger = Object.keys(entry).find((key) => !["path", "name", "enabled"].includes(key));
    if (stranger !== undefined) {
      throw malformed(where, `unknown key "${stranger}", expected path, name and enabled`);
    }
    const isEnabled = oneOf(entry.enabled, [true, false], `${where}.enabled`);
    if ((entry.path === undefined) === (entry.name === undefined)) {
      throw malformed(where, "expected either a path or a name");
    }
    const chosen =
      entry.path === undefined
        ? textOf(entry.name, `${where}.name`)
        : absolute(entry.path, `${where}.path`);
    return isEnabled ? [] : [chosen];
  });
}

function trustedIn(value: unknown, where: string): string[] {
  const projects = value === undefined ? {} : tableOf(value, where);
  return Object.entries(projects).flatMap(([folder, settings]) => {
    const at = `${where}.${JSON.stringify(folder)}`;
    const { trust_level: level } = tableOf(settings, at);
    if (level === undefined) return [];
    const isTrusted = oneOf(level, ["trusted", "untrusted"], `${at}.trust_level`) === "trusted";
    return isTrusted ? [absolute(folder, where)] : [];
  });
}

function listOf(value: unknown, where: string): readonly unknown[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value;
  throw malformed(where, "expected a list");
}

function absolute(value: unknown, where: string): string {
  const text = textOf(value, where);
  if (path.isAbsolute(text)) return path.normalize(text).replace(/(?<=.)\/$/, "");
  throw malformed(where, `${JSON.stringify(text)} is no absolute path, expected one`);
}
