/**
 * The one decision: what a path may be used for, and by which rule.
 *
 * `accessTo` and `explain` both ask here and cannot disagree. The trees behind
 * it are built once for as long as a bound profile lives.
 */
import { type AbsolutePath, namesOf } from "../paths/absolute-path.ts";
import type { Access } from "../profile/access.ts";
import type { BoundProfile } from "./bound-profile.ts";
import { type EntryDecision, EntryTree } from "./entry-tree.ts";
import { globTreeOf } from "./glob-cursor.ts";
import type { GlobRule, GlobTree } from "./glob-tree.ts";

export type Decision =
  | EntryDecision
  | { readonly by: "unrestricted"; readonly access: "write" }
  | { readonly by: "glob"; readonly access: "deny"; readonly glob: GlobRule };

/** The access a command has to `path`. */
export function accessTo(bound: BoundProfile, path: AbsolutePath): Access {
  return decide(bound, path).access;
}

/** Decides by glob, then by the most specific entry, then by protected name. */
export function decide(bound: BoundProfile, path: AbsolutePath): Decision {
  const glob = compileAccess(bound).globs?.match(namesOf(path));
  return glob === undefined ? decideByEntries(bound, path) : { by: "glob", access: "deny", glob };
}

/** The decision without globs: they deny everywhere alike and are compared on their own. */
export function decideByEntries(bound: BoundProfile, path: AbsolutePath): Decision {
  if (bound.files.type === "unrestricted") return { by: "unrestricted", access: "write" };
  return compileAccess(bound).entries.decide(path);
}

interface CompiledAccess {
  readonly entries: EntryTree;
  readonly globs: GlobTree | undefined;
}

const compiled = new WeakMap<BoundProfile, CompiledAccess>();

/** Builds the look-up trees of a profile, or finds those built before. */
export function compileAccess(bound: BoundProfile): CompiledAccess {
  const known = compiled.get(bound);
  if (known !== undefined) return known;
  const made = { entries: entryTree(bound), globs: globTree(bound) };
  compiled.set(bound, made);
  return made;
}

function entryTree({ files }: BoundProfile): EntryTree {
  const tree = new EntryTree();
  for (const entry of files.type === "restricted" ? files.entries : []) tree.add(entry);
  return tree;
}

function globTree({ files }: BoundProfile): GlobTree | undefined {
  return files.type === "restricted" && files.globs.length > 0
    ? globTreeOf(files.globs)
    : undefined;
}
