import { type NetworkBound, ownState, type WorkerPolicy } from "../../mcp/index.ts";
import {
  policyForMode,
  profileOfPolicy,
  type SandboxPolicy,
  uriOfNative,
} from "../../policy/index.ts";
import type { SandboxPlan } from "./sandbox-plan.ts";

/** Whose word the workers of a plan run under; `folder` is where one without calls' own runs. */
export function workerPolicy(
  plan: SandboxPlan,
  folder: string,
): { readonly policy: WorkerPolicy; readonly network: NetworkBound } {
  if (plan.kind === "inherit") {
    const { writableRoots, network } = plan;
    return { policy: { kind: "inherit", writableRoots: writableRoots.map(uriOfNative) }, network };
  }
  const state = ownState(profileOfPolicy(policyOf(plan)), uriOfNative(folder));
  return { policy: { kind: "explicit", state }, network: "asSent" };
}

function policyOf(plan: SandboxPlan & { kind: "explicit" }): SandboxPolicy {
  const policy = policyForMode(plan.mode);
  if (policy.type !== "workspaceWrite") return policy;
  const { writableRoots, networkAccess, excludeTmpdirEnvVar, excludeSlashTmp } = plan;
  return { ...policy, writableRoots, networkAccess, excludeTmpdirEnvVar, excludeSlashTmp };
}
