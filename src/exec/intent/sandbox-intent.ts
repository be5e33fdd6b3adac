import type { Entry, ExecContext, PathUri } from "../../policy/index.ts";

/**
 * What whoever asks wants enforced, in words any executor understands.
 *
 * "No sandbox" is its own case with its own reason. An absent intent is an
 * error, not permission: a host that cannot sandbox must not look like a user
 * who waived the sandbox.
 */
export type SandboxIntent = Enforced | Waiver;

export interface Enforced {
  readonly kind: "enforce";
  readonly context: ExecContext;
  /**
   * What a program needs on this machine beside the policy, such as a place of its own: enforced and
   * on record, and no part of the policy by name. No wire has a word for it.
   */
  readonly opened?: readonly Entry[];
  /**
   * Places of the policy that were agreed to by name: where a link has come into one, nothing is
   * started. Only our own wire has a word for it.
   */
  readonly unturned?: readonly PathUri[];
}

/** Without a sandbox, on purpose. */
export interface Waiver {
  readonly kind: "waived";
  /** Who decided that: a person, a policy, or a client whose word is all there is. */
  readonly by: string;
  readonly reason: string;
}
