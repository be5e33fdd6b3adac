import type { SandboxMode } from "../../policy/index.ts";

/** The modes, without the layer that they come from: every start reads this file. */
export const MODE_WORDS = [
  "read-only",
  "workspace-write",
  "danger-full-access",
] as const satisfies readonly SandboxMode[];

/** What may be typed behind the options about a policy. */
export const POLICY_TAKES = {
  sandbox: MODE_WORDS,
  profile: "file",
  cd: "folder",
  "add-dir": "folder",
} as const;
