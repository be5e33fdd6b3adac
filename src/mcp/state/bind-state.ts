import { bindIntent, ExecError, type ExecHost, type SandboxIntent } from "../../exec/index.ts";
import { boundDigest, type Entry, type PathUri, profileDigest } from "../../policy/index.ts";
import { intentOfState, type NetworkBound } from "./intent-of-state.ts";
import type { StateRefusal } from "./read-sandbox-state.ts";
import type { CallState } from "./symbolic-state.ts";

/** Where states are bound: a machine, and what its operator allows calls on it. */
export interface StateBounds {
  readonly host: ExecHost;
  readonly network: NetworkBound;
}

/** A state as it holds on this host. */
export interface BoundState {
  readonly kind: "bound";
  readonly intent: SandboxIntent;
  readonly cwd: PathUri;
  readonly profileDigest: string;
  readonly boundDigest: string;
  /** Equal for two states exactly when a process under one of them may serve the other. */
  readonly key: string;
}

/**
 * Binds a state, or says why nothing can run under it here. `opened` is what a program needs of its
 * own; it is no part of the policy.
 */
export function bindState(
  state: CallState,
  { host, network }: StateBounds,
  opened: readonly Entry[] = [],
): BoundState | StateRefusal {
  // Without a network there is a sandbox, yet one that keeps no file from anybody.
  if (state.profile.type === "disabled" && host.bounds.waivers === "refused") return WAIVED;
  const asked = intentOfState(state, network);
  const intent: SandboxIntent = opened.length === 0 ? asked : { ...asked, opened };
  try {
    const { profile, bound } = bindIntent(intent, undefined, host);
    const digest = boundDigest(bound);
    return {
      kind: "bound",
      intent,
      cwd: state.cwd,
      profileDigest: profileDigest(profile),
      boundDigest: digest,
      // Not part of a policy, yet asked for: a process that was started otherwise does not do.
      key: `${digest}${state.useLegacyLandlock ? " legacy" : ""}`,
    };
  } catch (error) {
    if (!(error instanceof ExecError)) throw error;
    return {
      kind: "refused",
      code: "unenforceable",
      message: `Cannot run this call: ${error.message}`,
    };
  }
}

const WAIVED: StateRefusal = {
  kind: "refused",
  code: "unenforceable",
  message:
    "Cannot run this call: its state waives the sandbox, and one is required here, expected a state with a sandbox",
};
