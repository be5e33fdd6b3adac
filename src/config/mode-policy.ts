import { policyForMode, type SandboxMode, type SandboxPolicy } from "../policy/index.ts";
import type { UserSettings } from "./settings/read-settings.ts";

/** What a coarse mode means to this user: `workspace-write` picks up `[sandbox_workspace_write]`. */
export function modePolicy(
  mode: SandboxMode,
  { workspaceWrite }: Pick<UserSettings, "workspaceWrite">,
): SandboxPolicy {
  const policy = policyForMode(mode);
  return policy.type === "workspaceWrite" ? { ...policy, ...workspaceWrite } : policy;
}
