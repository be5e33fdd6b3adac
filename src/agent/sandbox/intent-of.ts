import type { SandboxIntent } from "../../exec/index.ts";
import type { TurnFrame } from "../turn-frame.ts";

/** What all that a turn does is held to. */
export function intentOf(frame: TurnFrame): SandboxIntent {
  const { profile, cwd, workspaceRoots, granted, environment } = frame;
  const settings = { windowsSandboxLevel: "disabled" } as const;
  const context = { profile, cwd, workspaceRoots, settings };
  // On another machine nobody can look where a name leads, and no wire could ask it to.
  const isHere = environment === "local" && granted.length > 0;
  return { kind: "enforce", context, ...(isHere && { unturned: granted }) };
}

/** What a person let out of the sandbox, and why. */
export function waivedIntent(reason: string): SandboxIntent {
  return { kind: "waived", by: "user", reason };
}
