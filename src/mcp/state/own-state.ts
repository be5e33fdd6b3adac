import type { PathUri, PermissionProfile, SandboxState } from "../../policy/index.ts";

/** The state of a policy that was chosen on this side, for a server whose client sends none. */
export function ownState(profile: PermissionProfile, cwd: PathUri): SandboxState {
  return {
    generation: "G3",
    profile,
    cwd,
    codexLinuxSandboxExe: null,
    useLegacyLandlock: false,
  };
}
