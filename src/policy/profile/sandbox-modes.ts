/** The coarse words for a policy, from the strictest. */
export const SANDBOX_MODES = ["read-only", "workspace-write", "danger-full-access"] as const;
