import {
  type BoundProfile,
  bindProfile,
  type PermissionProfile,
  PROTECTED_NAMES,
  parseAbsolutePath,
} from "../../policy/index.ts";
import type { PolicyPlace } from "./policy-place.ts";

/**
 * A policy on another machine, to be compared with another one there. What symbols mean there is
 * known as far as the thread names it; a deny on any other throws.
 */
export function bindElsewhere(
  profile: PermissionProfile,
  { cwd, workspaceRoots }: PolicyPlace,
): BoundProfile {
  return bindProfile(profile, {
    system: "linux",
    cwd: parseAbsolutePath(cwd),
    workspaceRoots: workspaceRoots.map(parseAbsolutePath),
    tmpdir: undefined,
    slashTmp: parseAbsolutePath("/tmp"),
    platformDefaults: [],
    protectedNames: PROTECTED_NAMES,
    externalSandbox: "absent",
  });
}
