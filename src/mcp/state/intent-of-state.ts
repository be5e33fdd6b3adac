import type { SandboxIntent } from "../../exec/index.ts";
import type { PermissionProfile, SandboxState } from "../../policy/index.ts";

/** `off`: the operator allows none, whatever the client sends. */
export type NetworkBound = "asSent" | "off";

/**
 * What a state asks to have enforced, within what the operator allows.
 *
 * Its folder is the workspace: clients write their roots out as paths, and a
 * symbol that is left means the folder the call is for.
 */
export function intentOfState(state: SandboxState, network: NetworkBound): SandboxIntent {
  const { cwd, useLegacyLandlock } = state;
  return {
    kind: "enforce",
    context: {
      profile: network === "off" ? withoutNetwork(state.profile) : state.profile,
      cwd,
      workspaceRoots: [cwd],
      settings: { windowsSandboxLevel: "disabled", useLegacyLandlock },
    },
  };
}

/** A policy without a sandbox needs one for this: everything but the network stays open. */
function withoutNetwork(profile: PermissionProfile): PermissionProfile {
  const network = { kind: "restricted" } as const;
  if (profile.type !== "disabled") return { ...profile, network };
  return {
    type: "managed",
    fileSystem: { type: "unrestricted" },
    network,
    unixSockets: "none",
    ...(profile.limits && { limits: profile.limits }),
  };
}
