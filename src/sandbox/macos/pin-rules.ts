/**
 * What must stay where it is.
 *
 * Seatbelt judges paths, so whoever moves a folder takes what is in it out of
 * reach of every rule. Writable roots and the writable folders above a
 * carve-out or a denied match can therefore not be removed or renamed; the
 * first missing part on the way to a carve-out cannot be made.
 */
import { type AbsolutePath, accessTo } from "../../policy/index.ts";
import { parentOf } from "../files/parent-of.ts";
import { anySpelling } from "./any-spelling.ts";
import type { RuleSources } from "./file-rules.ts";
import { exactly, type ParameterRole } from "./parameters.ts";
import { matching, rule, type Sbpl } from "./sbpl.ts";

/** The last rules of a policy, so that nothing reopens them. */
export function pinRules(sources: RuleSources, matches: readonly AbsolutePath[]): Sbpl[] {
  const { rules, profile } = sources.real;
  const roots = rules.filter(({ access }) => access === "write").map(({ path }) => path);
  const closed = rules.filter(({ access }) => access !== "write");
  const above = [...closed.map(({ path }) => path), ...matches].flatMap(foldersAbove);
  const pinned = [...roots, ...above].filter((path) => accessTo(profile, path) === "write");
  const missing = closed
    .flatMap(({ path, missing: part }) => (part === undefined || part === path ? [] : [part]))
    .filter((path) => accessTo(profile, path) === "write");
  return [
    ...denied("file-write*", filtersOf(missing, "MISSING_PART", sources)),
    ...denied("file-write-unlink", filtersOf(pinned, "PROTECTED_ANCESTOR", sources)),
  ];
}

function denied(operation: string, filters: readonly Sbpl[]): Sbpl[] {
  return filters.length === 0 ? [] : [rule("deny", [operation], filters)];
}

function filtersOf(
  paths: readonly AbsolutePath[],
  role: ParameterRole,
  { parameters }: RuleSources,
): Sbpl[] {
  return [...new Set(paths)]
    .sort()
    .flatMap((path) => [exactly(parameters.add(role, path)), matching(anySpelling(path, "alone"))]);
}

function foldersAbove(path: AbsolutePath): AbsolutePath[] {
  const folders: AbsolutePath[] = [];
  for (let at = path; at !== "/"; ) {
    at = parentOf(at);
    folders.push(at);
  }
  return folders;
}
