import type { ExecContext } from "../../policy/index.ts";

/**
 * What whoever asks wants enforced, in words any executor understands.
 *
 * "No sandbox" is its own case with its own reason. An absent intent is an
 * error, not permission: a host that cannot sandbox must not look like a user
 * who waived the sandbox.
 */
export type SandboxIntent = { readonly kind: "enforce"; readonly context: ExecContext } | Waiver;

/** Without a sandbox, on purpose. */
export interface Waiver {
  readonly kind: "waived";
  /** Who decided that: a person, a policy, or a client whose word is all there is. */
  readonly by: string;
  readonly reason: string;
}
