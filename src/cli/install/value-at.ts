import { isTable } from "../../config/index.ts";

/** Where a value stands in settings: the names on the way to it. */
export type SettingsPath = readonly string[];

/** The value at a path, or nothing. */
export function valueAt(value: unknown, path: SettingsPath): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  return isTable(value) && Object.hasOwn(value, name) ? valueAt(value[name], rest) : undefined;
}
