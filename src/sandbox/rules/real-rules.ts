/**
 * The rules of a bound profile on real paths.
 *
 * Mounts are made on real paths, so links in a rule are followed first. A link
 * that lies where the command may write could be pointed elsewhere between the
 * plan and the mount, so a rule that leads through one is refused.
 */
import {
  type AbsolutePath,
  ACCESS_RANK,
  accessTo,
  type BoundEntry,
  type BoundProfile,
  isWithin,
} from "../../policy/index.ts";
import type { FileFacts } from "../files/file-facts.ts";
import { parentOf } from "../files/parent-of.ts";
import { type ResolvedPath, resolvePath } from "../files/resolve-path.ts";
import { SandboxError } from "../sandbox-error.ts";
import { gitFolders } from "./git-folders.ts";
import { isFileName } from "./is-file-name.ts";
import { type OwnPaths, ownRules } from "./own-paths.ts";

export interface RealRule extends BoundEntry {
  /** The first part of the path that does not exist, if one does not. */
  readonly missing: AbsolutePath | undefined;
  /** A protected name: its folder may have to be made for it. */
  readonly isName: boolean;
}

export interface RealRules {
  /** The profile on real paths and without globs: what the mounts must add up to. */
  readonly profile: BoundProfile;
  readonly rules: readonly RealRule[];
  /** Links that open paths lead through; an empty root has to have them too. */
  readonly links: ResolvedPath["links"];
}

/** Follows the links of every rule. Throws {@link SandboxError} where one cannot be trusted. */
export function realRules(profile: BoundProfile, facts: FileFacts, own: OwnPaths): RealRules {
  const entries = entriesOf(profile);
  const named = new Set(entries.map(({ path }) => path));
  const given = entries.flatMap((entry) => {
    const found = resolved(entry, facts);
    const names = protections(found, facts).filter(({ entry: { path } }) => !named.has(path));
    return [found, ...names];
  });
  for (const found of given) refusePlanted(found, facts);
  for (const found of given) refuseClosedTarget(found, given, profile);
  const view = viewOf(profile, given);
  const added = [...ownRules(view, own, facts), ...gitRules(given, view, facts)];
  const all = [...given, ...added.map((entry) => resolved(entry, facts))];
  const real = viewOf(profile, all);
  for (const { entry, links } of all) {
    // Whoever may write to the folder a link lies in may put another link there.
    const open = links.find(({ at }) => accessTo(real, parentOf(at)) === "write");
    if (open !== undefined) throw untrustedLink(entry, open);
  }
  const open = all.filter(({ entry, missing }) => entry.access !== "deny" && !missing);
  return { profile: real, rules: rulesOf(all), links: open.flatMap(({ links }) => links) };
}

function entriesOf({ files }: BoundProfile): readonly BoundEntry[] {
  if (files.type === "restricted") return files.entries;
  const path = "/" as AbsolutePath;
  return [{ path, access: "write", protects: [], rule: "unrestricted files" }];
}

interface Resolved extends ResolvedPath {
  readonly entry: BoundEntry;
  readonly isName: boolean;
}

/**
 * Other users may have put a link into a folder like `/tmp`, as may a command of this one under a policy that opens
 * that folder: whoever granted the name did not mean what they chose.
 */
function refusePlanted({ entry, isName, links }: Resolved, facts: FileFacts): void {
  if (entry.access === "deny" || isName) return;
  const planted = links.find(({ at }) => facts.isOpenToAll(parentOf(at)));
  if (planted === undefined) return;
  throw new SandboxError(
    "unprotectablePath",
    `Cannot enforce ${entry.rule} on "${entry.path}": it leads through the link "${planted.at}" to "${planted.target}", and everybody may put links there, expected a path without it`,
  );
}

/** What this user cannot look at, the command cannot either: there only a denial can be kept. */
function resolved(entry: BoundEntry, facts: FileFacts, isName = false): Resolved {
  const found = { entry, isName, ...resolvePath(entry.path, facts) };
  if (found.closed === undefined || entry.access === "deny") return found;
  throw new SandboxError(
    "unprotectablePath",
    `Cannot enforce ${entry.rule} on "${entry.path}": this user may not enter "${found.closed}"`,
  );
}

/** Protected names as rules of their own, so that links and missing ones are treated alike. */
function protections({ entry, real, missing }: Resolved, facts: FileFacts): Resolved[] {
  // A file has nothing below it. What is missing is taken for a folder, unless its name says that it is none.
  const isFolder = missing === undefined ? facts.kindOf(real) === "directory" : !isFileName(real);
  if (!isFolder) return [];
  return entry.protects.map(({ name }) => {
    const path = (entry.path === "/" ? `/${name}` : `${entry.path}/${name}`) as AbsolutePath;
    return resolved(readOnly(path, `protected name "${name}"`), facts, true);
  });
}

/** Only what could be written is closed: a rule must not open a folder that another one hides. */
function gitRules(given: readonly Resolved[], view: BoundProfile, facts: FileFacts): BoundEntry[] {
  const roots = new Set(given.flatMap(({ entry }) => (entry.access === "write" ? entry.path : [])));
  const folders = given
    // By name or by an entry of its own, which is how policies of others write it out. One that opens
    // the file at the top of a writable root does not mean the folder that the file points to.
    .filter(({ entry: { path } }) => path.endsWith("/.git"))
    .filter(({ entry }) => entry.access !== "write" || roots.has(parentOf(entry.path)))
    .flatMap(({ entry, real }) => gitFolders(entry.path, facts).map((at) => ({ at, git: real })));
  return folders
    .map(({ at, git }) => ({ at, git, real: resolvePath(at, facts).real }))
    .filter(({ real }) => accessTo(view, real) === "write")
    .map(({ at, git, real }) => {
      if (isWithin(git, real)) throw unprotectableGit(at);
      return readOnly(at, 'protected name ".git"');
    });
}

/** The whole root would have to be closed, and a grant at the same place wins over that. */
function unprotectableGit(folder: AbsolutePath): SandboxError {
  return new SandboxError(
    "unprotectablePath",
    `Cannot protect the repository in "${folder}": ".git" points to a folder that it lies in itself, expected one of its own`,
  );
}

/** Whoever wrote the grant named the link, not the denied or protected place that it leads to today. */
function refuseClosedTarget(
  grant: Resolved,
  given: readonly Resolved[],
  profile: BoundProfile,
): void {
  const { entry, real, links } = grant;
  if (entry.access === "deny" || links.length === 0) return;
  const closing = given.filter(
    (one) =>
      (one.entry.access === "deny" || one.isName) && isWithin(real, one.real) && !names(grant, one),
  );
  if (closing.length === 0) return;
  const others = given.filter((one) => one !== grant);
  const access = accessTo(viewOf(profile, others), real);
  const closed = closing.find((one) => one.entry.access === access);
  if (closed === undefined || access === entry.access) return;
  throw new SandboxError(
    "unprotectablePath",
    `Cannot enforce ${entry.rule} on "${entry.path}": it leads to "${real}", which ${closed.entry.rule} closes`,
  );
}

/** A place in the closed folder as the rule itself writes it, with the same links above both. */
function names({ entry: { path }, real }: Resolved, closing: Resolved): boolean {
  const rule = closing.entry.path;
  // A protected name is itself, whichever way its folder is said.
  if (closing.isName) {
    return path.endsWith(rule.slice(rule.lastIndexOf("/")) + real.slice(closing.real.length));
  }
  return isWithin(path, rule) && real === closing.real + path.slice(rule.length);
}

/** The profile as the mounts will show it. */
function viewOf(profile: BoundProfile, all: readonly Resolved[]): BoundProfile {
  return { ...profile, files: { type: "restricted", entries: rulesOf(all), globs: [] } };
}

function rulesOf(all: readonly Resolved[]): RealRule[] {
  return distinct(
    all.map(({ entry, real: path, missing, isName }) => ({ ...entry, path, missing, isName })),
  );
}

function readOnly(path: AbsolutePath, rule: string): BoundEntry {
  return { path, access: "read", protects: [], rule };
}

/** Two rules may meet on one real path; the higher rank decides, as everywhere. */
function distinct(rules: readonly RealRule[]): RealRule[] {
  const byPath = new Map<AbsolutePath, RealRule>();
  for (const rule of rules) {
    const other = byPath.get(rule.path);
    if (other === undefined || ACCESS_RANK[rule.access] > ACCESS_RANK[other.access]) {
      byPath.set(rule.path, rule);
    }
  }
  return [...byPath.values()];
}

function untrustedLink(
  entry: BoundEntry,
  { at, target }: ResolvedPath["links"][number],
): SandboxError {
  return new SandboxError(
    "unprotectablePath",
    `Cannot enforce ${entry.rule} on "${entry.path}": it leads through the link "${at}" to "${target}", and the command may change the link`,
  );
}
