import type { PermissionProfile } from "../../policy/index.ts";

/** What a request says about its policy; nothing means the policy of the server. */
export interface CommandPolicyAsk {
  readonly sandboxPolicy?: unknown;
  readonly permissionProfile?: string;
  /** Absolute: the folder that the policy is bound to. */
  readonly cwd: string;
}

/** A policy with the folders that its symbols mean. */
export interface CommandPolicy {
  readonly profile: PermissionProfile;
  readonly workspaceRoots: readonly string[];
}

/** Where commands and files without a thread get their policy. Throws `RpcError` rather than guess. */
export interface CommandPolicies {
  forCommand(ask: CommandPolicyAsk): Promise<CommandPolicy>;
}
