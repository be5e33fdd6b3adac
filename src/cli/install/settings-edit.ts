/**
 * What is to change in a client's settings, as data, and what the settings mean afterwards.
 *
 * The text of a file is changed elsewhere, one edit at a time; what it then says is compared
 * with what these functions say it should.
 */
import { isDeepStrictEqual } from "node:util";
import { isTable } from "../../config/index.ts";
import { type SettingsPath, valueAt } from "./value-at.ts";

export type SettingsEdit =
  /** Sets a value; tables on the way are made. */
  | { readonly kind: "put"; readonly path: SettingsPath; readonly value: unknown }
  /** Takes a value away, and the tables that are then empty. */
  | { readonly kind: "drop"; readonly path: SettingsPath }
  /** Adds an item at the end of a list; the list is made. */
  | { readonly kind: "add"; readonly path: SettingsPath; readonly item: string }
  /** Takes an item out of a list, and the list when it is then empty. */
  | { readonly kind: "take"; readonly path: SettingsPath; readonly item: string }
  /** Makes a value a table that has it as its key `into`. */
  | { readonly kind: "nest"; readonly path: SettingsPath; readonly into: string };

/** What settings mean after an edit. */
export function editValue(value: unknown, edit: SettingsEdit): unknown {
  const { path } = edit;
  const found = valueAt(value, path);
  const list = Array.isArray(found) ? found : [];
  switch (edit.kind) {
    case "put":
      return withAt(value, path, edit.value);
    case "drop":
      return withAt(value, path, undefined);
    case "add":
      return withAt(value, path, [...list, edit.item]);
    case "take": {
      const left = list.filter((item) => item !== edit.item);
      return withAt(value, path, left.length > 0 ? left : undefined);
    }
    case "nest":
      return withAt(value, path, { [edit.into]: found });
  }
}

/** Whether two settings say the same, where empty tables on the way of an edit say nothing. */
export function saysTheSame(one: unknown, other: unknown, edits: readonly SettingsEdit[]): boolean {
  const settled = (value: unknown) =>
    edits.reduce((left, { path }) => withoutEmpty(left, path) ?? {}, value);
  return isDeepStrictEqual(settled(one), settled(other));
}

function withAt(value: unknown, path: SettingsPath, next: unknown): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return next;
  const entries = isTable(value) ? Object.entries(value) : [];
  const inner = withAt(valueAt(value, [name]), rest, next);
  const others = entries.map(([key, old]) => [key, key === name ? inner : old] as const);
  const all = others.some(([key]) => key === name) ? others : [...others, [name, inner] as const];
  return Object.fromEntries(all.filter(([, one]) => one !== undefined));
}

function withoutEmpty(value: unknown, path: SettingsPath): unknown {
  if (!isTable(value)) return value;
  const [name] = path;
  const entries = Object.entries(value)
    .map(([key, old]) => [key, key === name ? withoutEmpty(old, path.slice(1)) : old] as const)
    .filter(([, one]) => one !== undefined);
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}
