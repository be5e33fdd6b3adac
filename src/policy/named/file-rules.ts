/**
 * From keys of a `filesystem` table to entries.
 *
 * A key is a symbol, an absolute path, a path below the home folder or a deny
 * pattern; symbols with places below them and absolute paths may hold a table.
 */
import { parseGlobTarget, WORKSPACE_GLOB } from "../dialects/glob-target.ts";
import { conventionOf } from "../paths/native-path.ts";
import { parseSubpath } from "../paths/subpath.ts";
import { uriOfNative } from "../paths/uri-of-native.ts";
import { PolicyError } from "../policy-error.ts";
import type { Access } from "../profile/access.ts";
import type { Entry, PathTarget } from "../profile/entry.ts";
import type { ProfileTable } from "./profile-table.ts";

/** Where a rule is, said one way only, and what it says. */
export interface FileRule {
  readonly place: string;
  readonly access: Access;
}

const SYMBOLS: Readonly<Record<string, PathTarget>> = {
  ":root": { type: "root" },
  ":minimal": { type: "minimal" },
  ":tmpdir": { type: "tmpdir" },
  ":slash_tmp": { type: "slashTmp" },
};
const WORKSPACE = ":workspace_roots";

/** Flattens a table into places, sorted by key as Codex compiles them. Refuses one place said twice. */
export function fileRules(
  table: NonNullable<ProfileTable["filesystem"]>,
  home: string,
): FileRule[] {
  const rules = sortedEntries(table).flatMap(([key, value]) => {
    const place = placeOf(key, home);
    if (typeof value === "string") return [{ place, access: accessOf(value) }];
    if (!mayNest(place)) throw fileError(key, "it does not support nested entries");
    return sortedEntries(value).map(([inner, word]) => ({
      place: nestedPlace(place, inner),
      access: accessOf(word),
    }));
  });
  const seen = new Set<string>();
  for (const { place } of rules) {
    if (seen.has(place)) throw fileError(place, "it is named twice in one table");
    seen.add(place);
  }
  return rules;
}

/** The entry for a rule whose place {@link fileRules} has written. */
export function entryOfRule({ place, access }: FileRule): Entry {
  if (isPattern(place)) return patternEntry(place, access);
  const symbol = SYMBOLS[place];
  if (symbol !== undefined) return { target: symbol, access };
  if (place === WORKSPACE) return { target: { type: "workspaceRoots" }, access };
  if (place.startsWith(`${WORKSPACE}/`)) {
    const subpath = parseSubpath(place.slice(WORKSPACE.length + 1));
    return { target: { type: "workspaceRoots", ...(subpath && { subpath }) }, access };
  }
  return { target: { type: "path", path: uriOfNative(place) }, access };
}

function patternEntry(place: string, access: Access): Entry {
  // "/var/log/**" = "read" is how people say "/var/log" = "read".
  if (access !== "deny" && place.endsWith("/**") && !isPattern(place.slice(0, -3))) {
    return entryOfRule({ place: place.slice(0, -3), access });
  }
  if (access !== "deny") throw fileError(place, `a pattern can only deny, found "${access}"`);
  const pattern = place.startsWith(`${WORKSPACE}/`)
    ? WORKSPACE_GLOB + place.slice(WORKSPACE.length + 1)
    : place;
  return { target: parseGlobTarget(pattern), access };
}

function placeOf(key: string, home: string): string {
  if (key === ":project_roots") return WORKSPACE;
  if (key === WORKSPACE || Object.hasOwn(SYMBOLS, key)) return key;
  if (key.startsWith(":")) {
    const known = [...Object.keys(SYMBOLS), WORKSPACE].join(", ");
    throw fileError(key, `it is an unknown symbol, expected ${known}`);
  }
  if (key === "~" || key.startsWith("~/")) return trimSlash(home + key.slice(1));
  if (conventionOf(key) !== undefined) return trimSlash(key);
  throw fileError(key, 'it is relative, expected an absolute path, "~/…" or a symbol');
}

function nestedPlace(place: string, inner: string): string {
  if (isPattern(inner)) return `${place}/${inner}`;
  const subpath = parseSubpath(inner);
  return subpath === undefined ? place : `${place}/${subpath}`;
}

function mayNest(place: string): boolean {
  return place === WORKSPACE || (!place.startsWith(":") && !isPattern(place));
}

function isPattern(text: string): boolean {
  return /[*?[\]]/.test(text);
}

function trimSlash(path: string): string {
  return path.length > 1 ? path.replace(/\/+$/, "") : path;
}

function accessOf(word: Access | "none"): Access {
  return word === "none" ? "deny" : word;
}

function sortedEntries<T>(table: Readonly<Record<string, T>>): [string, T][] {
  return Object.entries(table).sort(([a], [b]) => (a < b ? -1 : 1));
}

function fileError(key: string, what: string): PolicyError {
  return new PolicyError("malformed", `Cannot use filesystem key ${JSON.stringify(key)}: ${what}`);
}
