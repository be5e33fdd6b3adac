/** Edits of lists of names, made only where they change something. */
import { isTable } from "../../config/index.ts";
import { InstallError } from "./install-error.ts";
import type { SettingsEdit } from "./settings-edit.ts";
import { type SettingsPath, valueAt } from "./value-at.ts";

/** Edits that add what a list does not have; a missing list counts as empty. */
export function listAdditions(
  settings: unknown,
  path: SettingsPath,
  items: readonly string[],
  file: string,
): SettingsEdit[] {
  const list = valueAt(settings, path) ?? [];
  if (!Array.isArray(list)) throw cannotMean(path, file, "a list");
  return items
    .filter((item) => !list.includes(item))
    .map((item): SettingsEdit => ({ kind: "add", path, item }));
}

/** Edits that take out what a list has. */
export function listRemovals(
  settings: unknown,
  path: SettingsPath,
  items: readonly string[],
): SettingsEdit[] {
  const list = valueAt(settings, path);
  return items
    .filter((item) => Array.isArray(list) && list.includes(item))
    .map((item): SettingsEdit => ({ kind: "take", path, item }));
}

/** Throws where something else stands in the place of a table. */
export function refuseOther(settings: unknown, path: SettingsPath, file: string): void {
  const value = valueAt(settings, path);
  if (value !== undefined && !isTable(value)) throw cannotMean(path, file, "a table");
}

function cannotMean(path: SettingsPath, file: string, expected: string): InstallError {
  return new InstallError(`Cannot use "${path.join(".")}" in "${file}": expected ${expected}`);
}
