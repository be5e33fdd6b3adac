import { type AbsolutePath, accessTo, type BoundProfile, isWithin } from "../../policy/index.ts";
import { parentOf } from "../files/parent-of.ts";
import type { RealRule } from "./real-rules.ts";

/**
 * The rule for a protected name whose folder is missing and has to be made for it. Where a pattern denies
 * that folder it denies it here: what the pattern would have hidden must not be made and left open.
 */
export function inDeniedFolder(
  rule: RealRule,
  profile: BoundProfile,
  view: BoundProfile,
): RealRule {
  const { isName, missing, path } = rule;
  if (!isName || missing === undefined || profile.files.type !== "restricted") return rule;
  if (profile.files.globs.length === 0 || accessTo(view, parentOf(missing)) !== "write")
    return rule;
  let denied: AbsolutePath | undefined;
  for (let at = parentOf(path); isWithin(at, missing); at = parentOf(at)) {
    if (accessTo(profile, at) !== "deny") break;
    denied = at;
  }
  return denied === undefined ? rule : { ...rule, path: denied, access: "deny" };
}
