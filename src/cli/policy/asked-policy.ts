import type { NamedProfile, PermissionProfile, SandboxState } from "../../policy/index.ts";

/** The policy that was asked for, before it is bound to this host. */
export interface AskedPolicy {
  readonly profile: PermissionProfile;
  readonly id?: string;
  /** Roots the profile brings, beside the folder itself. */
  readonly workspaceRoots: readonly string[];
  /** What it may not exceed, and the file that made it untrusted. */
  readonly within?: NamedProfile;
  readonly file?: string;
  /** Set when the policy came with a client's state, which brings its own folder. */
  readonly state?: SandboxState;
}
