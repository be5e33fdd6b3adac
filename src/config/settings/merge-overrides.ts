/**
 * The `config` map of a request, laid over the user's table.
 *
 * Whoever sends it stands where the user stands, so it says what the user's file
 * may say, but starts no server, sets no variable and installs nothing; an empty table
 * of servers adds none, and clients send it. Keys may be dotted at the top only: below it a dot is
 * part of a name, and one in a path must not cut it.
 */
import type { TomlTable } from "../read-toml-file.ts";
import { isTable, malformed } from "../table-of.ts";

export type Overrides = Readonly<Record<string, unknown>>;

export interface MergedTable {
  readonly table: TomlTable;
  /** The keys of the file that the map has a word on. */
  readonly keys: ReadonlySet<string>;
  /** Whether the map itself says what a thread may do that names nothing. */
  readonly choosesDefault: boolean;
  /** The names of the profiles it has a word on. */
  readonly profiles: ReadonlySet<string>;
  readonly unknownKeys: readonly string[];
}

/** How messages call the map. */
export const OVERRIDES = "config";

const FORBIDDEN = ["mcp_servers", "environment", "dependencies", "session_provider"];
const DEFAULTS = ["default_permissions", "sandbox_mode"];

/** Merges tables with tables; anything else replaces. `known` are the keys that have a reader. */
export function mergeOverrides(
  base: TomlTable,
  overrides: Overrides,
  known: readonly string[],
): MergedTable {
  const isKnown = (key: string) => known.includes(key.split(".", 1)[0] ?? "");
  const entries = Object.entries(overrides);
  refuseForbidden(entries);
  const over = entries
    .filter(([key]) => isKnown(key))
    .reduce<TomlTable>(
      (table, [key, value]) => mergeTables(table, nest(key, value), refuseTwice),
      {},
    );
  const choosesDefault = DEFAULTS.some((key) => Object.hasOwn(over, key));
  const below = choosesDefault ? without(base, DEFAULTS) : base;
  return {
    table: mergeTables(below, over, () => {}),
    keys: new Set(Object.keys(over)),
    choosesDefault,
    profiles: new Set(isTable(over.permissions) ? Object.keys(over.permissions) : []),
    unknownKeys: entries.map(([key]) => key).filter((key) => !isKnown(key)),
  };
}

function refuseForbidden(entries: readonly (readonly [string, unknown])[]): void {
  const found = entries.find(
    ([key, value]) => FORBIDDEN.includes(key.split(".", 1)[0] ?? "") && !addsNone(key, value),
  )?.[0];
  if (found === undefined) return;
  const what =
    "a request starts no servers, sets no variables and installs nothing, expected it in the user's file";
  throw malformed(`${OVERRIDES}.${found}`, what);
}

function addsNone(key: string, value: unknown): boolean {
  return key === "mcp_servers" && isTable(value) && Object.keys(value).length === 0;
}

/** `a.b` with 1 becomes `{ a: { b: 1 } }`. A name that needs quotes is refused: it cannot be told where it ends. */
function nest(key: string, value: unknown): TomlTable {
  const names = key.split(".");
  if (!names.every((name) => /^:?[\w-]+$/.test(name))) {
    const what = "a part between dots is no bare name, expected tables inside each other";
    throw malformed(`${OVERRIDES}.${key}`, what);
  }
  const inner = names.reduceRight<unknown>((below, name) => ({ [name]: below }), value);
  return isTable(inner) ? inner : {};
}

/** What the files say in two places has an order; what one map says twice has none. */
function refuseTwice(key: string): void {
  throw malformed(`${OVERRIDES}.${key}`, "it is said twice, expected it once");
}

function mergeTables(
  base: TomlTable,
  over: TomlTable,
  collide: (key: string) => void,
  above = "",
): TomlTable {
  const own = Object.entries(over).map(([key, value]): [string, unknown] => {
    if (!Object.hasOwn(base, key)) return [key, value];
    const below = base[key];
    const name = above + key;
    if (isTable(below) && isTable(value)) {
      return [key, mergeTables(below, value, collide, `${name}.`)];
    }
    collide(name);
    return [key, value];
  });
  // Built from entries, so that "__proto__" is a member like any other.
  return Object.fromEntries([...Object.entries(base), ...own]);
}

function without(table: TomlTable, keys: readonly string[]): TomlTable {
  return Object.fromEntries(Object.entries(table).filter(([key]) => !keys.includes(key)));
}
