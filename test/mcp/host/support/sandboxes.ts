/** Sandboxes of calls under test. */
import type { CallSandbox } from "../../../../src/mcp/host/write-call-meta.ts";
import {
  policyForMode,
  profileOfPolicy,
  type SandboxMode,
  uriOfNative,
} from "../../../../src/policy/index.ts";

/** A call in `/srv/ws` under one of the coarse modes. */
export function sandboxIn(mode: SandboxMode, more: Partial<CallSandbox> = {}): CallSandbox {
  return {
    profile: profileOfPolicy(policyForMode(mode)),
    cwd: uriOfNative("/srv/ws"),
    workspaceRoots: [uriOfNative("/srv/ws")],
    ids: {},
    ...more,
  };
}
