import type { SandboxMode, SandboxPolicy } from "../profile/sandbox-policy.ts";

export interface PolicyRequest {
  /** The full policy. Wins over `sandbox` when both are given. */
  readonly sandboxPolicy?: SandboxPolicy | null | undefined;
  /** The coarse mode that older callers still send. */
  readonly sandbox?: SandboxMode | null | undefined;
}

/** Picks the policy a thread starts under: the full policy, else the coarse mode, else the fallback. */
export function choosePolicy(request: PolicyRequest, fallback: SandboxPolicy): SandboxPolicy {
  if (request.sandboxPolicy) return request.sandboxPolicy;
  if (request.sandbox) return policyForMode(request.sandbox);
  return fallback;
}

/** What a coarse mode means. */
export function policyForMode(mode: SandboxMode): SandboxPolicy {
  switch (mode) {
    case "read-only":
      return { type: "readOnly", access: { type: "fullAccess" }, networkAccess: false };
    case "workspace-write":
      return {
        type: "workspaceWrite",
        writableRoots: [],
        readOnlyAccess: { type: "fullAccess" },
        networkAccess: false,
        excludeTmpdirEnvVar: false,
        excludeSlashTmp: false,
      };
    case "danger-full-access":
      return { type: "dangerFullAccess" };
  }
}
