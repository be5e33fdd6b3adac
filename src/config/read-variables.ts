/**
 * Which variables a command gets, as the user's file says it.
 *
 * Names are whole names. A pattern is refused rather than taken for a name:
 * an exclusion that matches nothing would let out what it was written for.
 */
import type { TomlTable } from "./read-toml-file.ts";
import { malformed, oneOf, tableOf } from "./table-of.ts";

export interface VariablesTable {
  readonly inherit: "core" | "all" | "none";
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly set: Readonly<Record<string, string>>;
}

const INHERIT = ["core", "all", "none"] as const;
const KEYS = ["inherit", "include", "exclude", "set"];

/** Reads `[environment]`; what it does not say is what holds without it. */
export function readVariables(value: unknown, where: string): VariablesTable {
  const table = value === undefined ? {} : tableOf(value, where);
  const stranger = Object.keys(table).find((key) => !KEYS.includes(key));
  if (stranger !== undefined) {
    throw malformed(where, `unknown key "${stranger}", expected one of ${KEYS.join(", ")}`);
  }
  return {
    inherit: oneOf(table.inherit ?? "core", INHERIT, `${where}.inherit`),
    include: namesOf(table.include ?? [], `${where}.include`),
    exclude: namesOf(table.exclude ?? [], `${where}.exclude`),
    set: settingsOf(tableOf(table.set ?? {}, `${where}.set`), `${where}.set`),
  };
}

function namesOf(value: unknown, where: string): readonly string[] {
  if (Array.isArray(value) && value.every(isName)) return value;
  throw malformed(where, "expected a list of whole names of variables");
}

function settingsOf(table: TomlTable, where: string): Readonly<Record<string, string>> {
  const settings = Object.entries(table).map(([name, value]): [string, string] => {
    if (!isName(name)) throw malformed(where, `${JSON.stringify(name)} is no name of a variable`);
    if (typeof value === "string" && !value.includes("\0")) return [name, value];
    throw malformed(`${where}.${name}`, "expected a text without NUL characters");
  });
  return Object.fromEntries(settings);
}

function isName(value: unknown): value is string {
  return typeof value === "string" && /^[^=*?\0]+$/.test(value);
}
