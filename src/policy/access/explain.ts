import type { AbsolutePath } from "../paths/absolute-path.ts";
import type { Access } from "../profile/access.ts";
import type { BoundProfile } from "./bound-profile.ts";
import { type Decision, decide } from "./decide.ts";

export interface Explanation {
  readonly path: AbsolutePath;
  readonly access: Access;
  /** The entry that decided, in the words of the configuration file. */
  readonly rule: string;
  /** Why that entry, in a sentence. */
  readonly reason: string;
}

/** Says what a path may be used for, which rule decided and why. */
export function explain(bound: BoundProfile, path: AbsolutePath): Explanation {
  const decision = decide(bound, path);
  return { path, access: decision.access, ...words(decision, path, bound) };
}

function words(decision: Decision, path: AbsolutePath, bound: BoundProfile) {
  switch (decision.by) {
    case "unrestricted":
      return { rule: bound.enforcement, reason: unrestrictedReason(bound) };
    case "nothing":
      return {
        rule: "no entry",
        reason: "no entry covers this path, and what is not granted is denied",
      };
    case "glob":
      return {
        rule: decision.glob.rule,
        reason: `the path or a folder above it matches ${JSON.stringify(decision.glob.pattern)}, and a pattern denies whatever else is granted`,
      };
    case "protectedName": {
      const { entry, name } = decision;
      return {
        rule: `protected name ${JSON.stringify(name.name)}`,
        reason: `"${entry.path}" is writable, but "${name.name}" in it stays read-only: ${name.reason}`,
      };
    }
    case "entry": {
      const { entry } = decision;
      const where = entry.path === path ? "names this path" : `covers it from "${entry.path}"`;
      return { rule: entry.rule, reason: `the most specific entry ${where}` };
    }
  }
}

function unrestrictedReason(bound: BoundProfile): string {
  switch (bound.enforcement) {
    case "disabled":
      return "the policy waives the sandbox";
    case "external":
      return "the operator of this host vouches for a sandbox outside writ";
    case "managed":
      return "the policy does not restrict files";
  }
}
