import path from "node:path";
import type { PolicyRequest } from "../policy/chosen-policy.ts";
import { type PolicyMembers, readPolicyAsk } from "../policy/policy-ask.ts";
import type { AskedSettings } from "../threads/begin-settings.ts";

/** What a request that begins a thread, or goes on with one, may say of it. */
export interface BeginMembers extends PolicyMembers, AskedSettings {
  readonly runtimeWorkspaceRoots?: readonly string[] | null | undefined;
  readonly config?: Readonly<Record<string, unknown>> | null | undefined;
}

/** What a policy is chosen by. Throws `RpcError` where that cannot be meant. */
export function requestOf(params: BeginMembers, cwd: string): PolicyRequest {
  return {
    ask: readPolicyAsk(params),
    cwd,
    roots: params.runtimeWorkspaceRoots?.map((root) => path.resolve(root)) ?? null,
    overrides: params.config ?? {},
  };
}
