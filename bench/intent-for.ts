import type { SandboxIntent } from "../src/exec/index.ts";
import { policyForMode, profileOfPolicy, uriOfNative } from "../src/policy/index.ts";

/** What a caller of workspace-write intends, as a new object each time. */
export function intentFor(workspace: string): SandboxIntent {
  const root = uriOfNative(workspace);
  return {
    kind: "enforce",
    context: {
      profile: profileOfPolicy(policyForMode("workspace-write")),
      cwd: root,
      workspaceRoots: [root],
      settings: { windowsSandboxLevel: "disabled" },
    },
  };
}
