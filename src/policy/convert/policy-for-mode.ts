import { PolicyError } from "../policy-error.ts";
import { SANDBOX_MODES } from "../profile/sandbox-modes.ts";
import type { SandboxMode, SandboxPolicy } from "../profile/sandbox-policy.ts";

/** What a coarse mode means. Throws {@link PolicyError} where there is no such mode, as a program without types may ask. */
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
  throw new PolicyError(
    "unknown",
    `Cannot use mode "${mode satisfies never}": there is no such mode, expected ${SANDBOX_MODES.join(", ")}`,
  );
}
