/** The few shapes that settings are made of, each read or refused with the name of its key. */
import { ConfigError } from "./config-error.ts";
import type { TomlTable } from "./read-toml-file.ts";

/** A table, which neither a list nor a date is. */
export function tableOf(value: unknown, where: string): TomlTable {
  if (isTable(value)) return value;
  throw malformed(where, "expected a table");
}

/** Whether it has keys: neither a list nor a date. */
export function isTable(value: unknown): value is TomlTable {
  const isObject = typeof value === "object" && value !== null;
  return isObject && !Array.isArray(value) && !(value instanceof Date);
}

/** A text that says something and can be handed to a program. */
export function textOf(value: unknown, where: string): string {
  if (typeof value === "string" && value !== "" && !value.includes("\0")) return value;
  throw malformed(where, "expected a text that is not empty and has no NUL characters");
}

/** One of a few values, and nothing that only looks like one. */
export function oneOf<const T>(value: unknown, allowed: readonly T[], where: string): T {
  const found = allowed.find((one) => one === value);
  if (found !== undefined) return found;
  const words = allowed.map((one) => JSON.stringify(one)).join(", ");
  throw malformed(where, `expected one of ${words}`);
}

export function malformed(where: string, what: string): ConfigError {
  return new ConfigError("malformed", `Cannot read "${where}": ${what}`);
}
