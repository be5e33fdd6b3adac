/**
 * The one decision: what a path may be used for, and by which rule.
 *
 * Entries stand in a tree by name, so a look-up costs as many steps as the path
 * has names, however many entries there are. `accessTo` and `explain` both ask
 * here and cannot disagree.
 */
import type { AbsolutePath } from "../paths/absolute-path.ts";
import type { Access } from "../profile/access.ts";
import type { ProtectedName } from "../profile/protected-names.ts";
import type { BoundEntry, BoundProfile } from "./bound-profile.ts";
import { parseGlob } from "./glob.ts";
import { type GlobRule, GlobTree } from "./glob-tree.ts";

export type Decision =
  | { readonly by: "unrestricted"; readonly access: "write" }
  | { readonly by: "nothing"; readonly access: "deny" }
  | { readonly by: "entry"; readonly access: Access; readonly entry: BoundEntry }
  | { readonly by: "glob"; readonly access: "deny"; readonly glob: GlobRule }
  | {
      readonly by: "protectedName";
      readonly access: "read";
      readonly entry: BoundEntry;
      readonly name: ProtectedName;
    };

/** The access a command has to `path`. */
export function accessTo(bound: BoundProfile, path: AbsolutePath): Access {
  return decide(bound, path).access;
}

/** Decides by glob, then by the most specific entry, then by protected name. */
export function decide(bound: BoundProfile, path: AbsolutePath): Decision {
  if (bound.files.type === "unrestricted") return { by: "unrestricted", access: "write" };
  const { globs } = compileAccess(bound);
  const glob = globs?.match(namesOf(path));
  if (glob !== undefined) return { by: "glob", access: "deny", glob };
  return decideByEntries(bound, path);
}

/** The decision without globs: they deny everywhere alike and are compared on their own. */
export function decideByEntries(bound: BoundProfile, path: AbsolutePath): Decision {
  if (bound.files.type === "unrestricted") return { by: "unrestricted", access: "write" };
  const { deciding, blocked } = walk(compileAccess(bound).root, path);
  if (deciding === undefined) return { by: "nothing", access: "deny" };
  if (deciding.access === "write" && blocked !== undefined) {
    return { by: "protectedName", access: "read", ...blocked };
  }
  return { by: "entry", access: deciding.access, entry: deciding };
}

interface Node {
  readonly children: Map<string, Node>;
  entry: BoundEntry | undefined;
}

interface CompiledAccess {
  readonly root: Node;
  readonly globs: GlobTree | undefined;
}

const compiled = new WeakMap<BoundProfile, CompiledAccess>();

/** Builds the look-up trees of a profile, once for as long as the profile lives. */
export function compileAccess(bound: BoundProfile): CompiledAccess {
  const known = compiled.get(bound);
  if (known !== undefined) return known;
  const made = { root: entryTree(bound), globs: globTree(bound) };
  compiled.set(bound, made);
  return made;
}

function entryTree({ files }: BoundProfile): Node {
  const root: Node = { children: new Map(), entry: undefined };
  if (files.type === "unrestricted") return root;
  for (const entry of files.entries) {
    let node = root;
    for (const name of namesOf(entry.path)) {
      const child = node.children.get(name) ?? { children: new Map(), entry: undefined };
      node.children.set(name, child);
      node = child;
    }
    node.entry = entry;
  }
  return root;
}

function globTree({ files }: BoundProfile): GlobTree | undefined {
  if (files.type === "unrestricted" || files.globs.length === 0) return undefined;
  const tree = new GlobTree();
  for (const rule of files.globs) {
    for (const segments of parseGlob(rule.pattern)) tree.add(segments, rule);
  }
  return tree;
}

interface Walk {
  readonly deciding: BoundEntry | undefined;
  /** Set while the path is below a protected name that no later write entry reopened. */
  readonly blocked: { readonly entry: BoundEntry; readonly name: ProtectedName } | undefined;
}

function walk(root: Node, path: AbsolutePath): Walk {
  const names = namesOf(path);
  let node: Node | undefined = root;
  let deciding: BoundEntry | undefined;
  let blocked: Walk["blocked"];
  for (let depth = 0; node !== undefined; depth += 1) {
    const { entry }: Node = node;
    const next = names[depth];
    if (entry !== undefined) {
      deciding = entry;
      if (entry.access === "write") blocked = blockedBelow(entry, next);
    }
    node = next === undefined ? undefined : node.children.get(next);
  }
  return { deciding, blocked };
}

function blockedBelow(entry: BoundEntry, next: string | undefined): Walk["blocked"] {
  const name = next && entry.protects.find((one) => one.name === next);
  return name ? { entry, name } : undefined;
}

function namesOf(path: AbsolutePath): string[] {
  return path === "/" ? [] : path.slice(1).split("/");
}
