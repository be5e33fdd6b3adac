import type { Replacement } from "./current-sandbox.ts";
import type { SandboxHolder } from "./sandbox-holder.ts";

const NOTICES: Record<Replacement, string> = {
  lost: "The sandbox was lost and is a new one.",
  policy: "The policy is one that the earlier sandbox was not for, so the sandbox is a new one.",
  dependencies: "What the sandbox starts from has changed, so it is a new one.",
  idle: "The sandbox had ended because nothing ran, and is a new one.",
};
const ALL_BUT_WORKSPACE = "Files outside the workspace and processes of the earlier one are gone.";
const ALL = "All files and processes of the earlier one are gone, those of the workspace too.";

/** What a model has to know of the sandbox it works in now: that it is another one. Said once. */
export function replacementNotice(holder: SandboxHolder): string | null {
  const why = holder.takeReplacement();
  if (why === undefined) return null;
  return `${NOTICES[why]} ${holder.keepsWorkspace ? ALL_BUT_WORKSPACE : ALL}`;
}
