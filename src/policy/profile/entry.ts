/** One rule of a profile: a target and what may be done with it. */
import type { PathUri } from "../paths/path-uri.ts";
import type { Subpath } from "../paths/subpath.ts";
import type { Access } from "./access.ts";

export type Entry = PathEntry | GlobEntry;

export interface PathEntry {
  readonly target: PathTarget;
  readonly access: Access;
  /** Marks a default protection: a party that cannot protect a missing path may leave it out. */
  readonly missing?: "skip";
  /**
   * For a folder that goes with whoever may write to it: nobody else trusts what lies there, so that
   * no name in it is protected. No wire has a word for it; without it all are.
   */
  readonly names?: "open";
}

/** Globs can only deny: a grant must name what it grants. */
export interface GlobEntry {
  readonly target: {
    readonly type: "glob";
    /** Where the pattern starts: at `/`, at the policy's cwd, or at every workspace root. */
    readonly base: "absolute" | "cwd" | "workspaceRoots";
    readonly pattern: string;
  };
  readonly access: "deny";
  readonly missing?: "skip";
}

export type PathTarget =
  | { readonly type: "path"; readonly path: PathUri }
  | { readonly type: "root" | "minimal" | "tmpdir" | "slashTmp" }
  | { readonly type: "workspaceRoots"; readonly subpath?: Subpath }
  /** A symbol of a newer party. It grants nothing, and cannot be bound when it denies. */
  | { readonly type: "unknown"; readonly token: string; readonly subpath?: Subpath };

/** True for an entry whose target is a pattern. */
export function isGlob(entry: Entry): entry is GlobEntry {
  return entry.target.type === "glob";
}
