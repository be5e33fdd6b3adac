/**
 * From keys of a `filesystem` table to entries.
 *
 * A key is a symbol, an absolute path, a path below the home folder or a deny
 * pattern; the workspace roots and absolute paths may hold a table. Only what
 * people wrote can be a pattern: the home folder and the path above a table
 * mean themselves, whatever characters they have.
 */
import { escapeGlob, isPattern } from "../access/glob.ts";
import { parseGlobTarget, WORKSPACE_GLOB } from "../dialects/glob-target.ts";
import { conventionOf, normalizeNativePath } from "../paths/native-path.ts";
import { parseSubpath } from "../paths/subpath.ts";
import { uriOfNative } from "../paths/uri-of-native.ts";
import { PolicyError } from "../policy-error.ts";
import type { Access } from "../profile/access.ts";
import type { Entry, PathTarget } from "../profile/entry.ts";
import type { ProfileTable } from "./profile-table.ts";

/** An entry, and its place said one way only, so that a child can replace it. */
export interface FileRule {
  readonly place: string;
  readonly entry: Entry;
}

const SYMBOLS: Readonly<Record<string, PathTarget>> = {
  ":root": { type: "root" },
  ":minimal": { type: "minimal" },
  ":tmpdir": { type: "tmpdir" },
  ":slash_tmp": { type: "slashTmp" },
};
const WORKSPACE = ":workspace_roots";

type Words = NonNullable<ProfileTable["filesystem"]>;

/** Flattens a table, sorted by key as Codex compiles it. Refuses one place said twice. */
export function fileRules(table: Words, home: string): FileRule[] {
  const rules = sortedEntries(table).flatMap(([key, value]) =>
    typeof value === "string" ? [ruleOf(key, value, home)] : nestedRules(key, value, home),
  );
  const seen = new Set<string>();
  for (const { place } of rules) {
    if (seen.has(place)) throw fileError(place, "it is named twice in one table");
    seen.add(place);
  }
  return rules;
}

function ruleOf(key: string, word: Access | "none", home: string): FileRule {
  const access = accessOf(word);
  const symbol = symbolOf(key);
  if (symbol !== undefined) return { place: key, entry: { target: symbol, access } };
  if (isWorkspace(key)) return workspaceRule(".", access);
  if (key.startsWith(":")) {
    const known = [...Object.keys(SYMBOLS), WORKSPACE].join(", ");
    throw fileError(key, `it is an unknown symbol, expected ${known}`);
  }
  const { folder, rest } = splitHome(key, home);
  return pathRule({ folder, rest, access });
}

function nestedRules(key: string, table: Readonly<Record<string, Access | "none">>, home: string) {
  const inner = sortedEntries(table).map(([name, word]) => [name, accessOf(word)] as const);
  if (isWorkspace(key)) return inner.map(([name, access]) => workspaceRule(name, access));
  if (key.startsWith(":") || isPattern(key)) {
    throw fileError(key, "it does not support nested entries");
  }
  const { folder, rest } = splitHome(key, home);
  return inner.map(([name, access]) => {
    const below = isPattern(name) ? name : (parseSubpath(name) ?? "");
    return pathRule({ folder: folder + rest, rest: below && `/${below}`, access });
  });
}

function workspaceRule(name: string, access: Access): FileRule {
  const plain = grantedFolder(name, access);
  if (isPattern(plain)) {
    if (access !== "deny") throw grantsByPattern(name, access);
    const target = parseGlobTarget(WORKSPACE_GLOB + plain);
    return { place: `${WORKSPACE}/${plain}`, entry: { target, access } };
  }
  const subpath = parseSubpath(plain);
  const target: PathTarget = { type: "workspaceRoots", ...(subpath && { subpath }) };
  return { place: `${WORKSPACE}/${subpath ?? ""}`, entry: { target, access } };
}

/** `folder` means itself; `rest` is what was written and may be a pattern. */
function pathRule({ folder, rest, access }: { folder: string; rest: string; access: Access }) {
  const plain = grantedFolder(rest, access);
  if (isPattern(plain)) {
    if (access !== "deny") throw grantsByPattern(folder + rest, access);
    const pattern = escapeGlob(folder) + plain;
    return { place: pattern, entry: { target: parseGlobTarget(pattern), access } };
  }
  // Where a link comes before it the kernel goes back from where that leads: to another file than it seems.
  if (/(^|[\\/])\.\.([\\/]|$)/.test(folder + plain)) {
    throw fileError(folder + rest, 'it holds "..", expected the path itself');
  }
  const path = normalizeNativePath(folder + plain || "/");
  const target: PathTarget = { type: "path", path: uriOfNative(path) };
  return { place: path, entry: { target, access } };
}

/** `"/var/log/**" = "read"` is how people say `"/var/log" = "read"`. */
function grantedFolder(text: string, access: Access): string {
  const folder = text.replace(/(^|\/)\*\*$/, "");
  return access === "deny" || isPattern(folder) ? text : folder;
}

function splitHome(key: string, home: string): { folder: string; rest: string } {
  if (key === "~" || key.startsWith("~/")) return { folder: home, rest: key.slice(1) };
  if (conventionOf(key) !== undefined) return { folder: "", rest: key };
  throw fileError(key, 'it is relative, expected an absolute path, "~/…" or a symbol');
}

function symbolOf(key: string): PathTarget | undefined {
  return Object.hasOwn(SYMBOLS, key) ? SYMBOLS[key] : undefined;
}

function isWorkspace(key: string): boolean {
  return key === WORKSPACE || key === ":project_roots";
}

function accessOf(word: Access | "none"): Access {
  return word === "none" ? "deny" : word;
}

function sortedEntries<T>(table: Readonly<Record<string, T>>): [string, T][] {
  return Object.entries(table).sort(([a], [b]) => (a < b ? -1 : 1));
}

function grantsByPattern(key: string, access: Access): PolicyError {
  return fileError(key, `a pattern can only deny, found "${access}"`);
}

function fileError(key: string, what: string): PolicyError {
  return new PolicyError("malformed", `Cannot use filesystem key ${JSON.stringify(key)}: ${what}`);
}
