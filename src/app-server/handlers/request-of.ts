import path from "node:path";
import type { PolicyRequest } from "../policy/chosen-policy.ts";
import { type PolicyMembers, readPolicyAsk } from "../policy/policy-ask.ts";
import type { ThreadSettings } from "../store/thread-record.ts";
import type { AskedSettings } from "../threads/begin-settings.ts";
import { movedElsewhere } from "../threads/frame-of.ts";

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

/** The same of a thread that goes on, or is forked: where nothing else is said it stays where it is. */
export function requestAfter(
  params: BeginMembers & { readonly cwd?: string | null | undefined },
  { cwd, environments }: ThreadSettings,
  base: string,
): PolicyRequest {
  const request = requestOf(params, path.resolve(base, params.cwd ?? cwd));
  return { ...request, elsewhere: movedElsewhere(environments, environments) };
}
