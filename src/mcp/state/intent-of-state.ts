import type { SandboxIntent } from "../../exec/index.ts";
import type { PermissionProfile } from "../../policy/index.ts";
import type { CallState } from "./symbolic-state.ts";

type Enforced = Extract<SandboxIntent, { kind: "enforce" }>;

/** `off`: the operator allows none, whatever the client sends. */
export type NetworkBound = "asSent" | "off";

/**
 * What a state asks to have enforced, within what the operator allows.
 *
 * Without roots its folder is the workspace: clients write their roots out as
 * paths, and a symbol that is left means the folder the call is for.
 */
export function intentOfState(state: CallState, network: NetworkBound): Enforced {
  const { cwd, workspaceRoots = [cwd], useLegacyLandlock } = state;
  return {
    kind: "enforce",
    context: {
      profile: network === "off" ? withoutNetwork(state.profile) : state.profile,
      cwd,
      workspaceRoots,
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
