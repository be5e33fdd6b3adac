import type { SandboxIntent } from "../../exec/index.ts";
import type { TurnFrame } from "../turn-frame.ts";

/** What all that a turn does is held to. */
export function intentOf({ profile, cwd, workspaceRoots }: TurnFrame): SandboxIntent {
  const settings = { windowsSandboxLevel: "disabled" } as const;
  return { kind: "enforce", context: { profile, cwd, workspaceRoots, settings } };
}

/** What a person let out of the sandbox, and why. */
export function waivedIntent(reason: string): SandboxIntent {
  return { kind: "waived", by: "user", reason };
}
