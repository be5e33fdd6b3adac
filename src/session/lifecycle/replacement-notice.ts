import type { Replacement } from "./current-sandbox.ts";
import type { SandboxHolder } from "./sandbox-holder.ts";

const GONE = "Files outside the workspace and processes of the earlier one are gone.";
const NOTICES: Record<Replacement, string> = {
  lost: `The sandbox was lost and is a new one. ${GONE}`,
  policy: `The policy allows more than before, so the sandbox is a new one. ${GONE}`,
  dependencies: `What the sandbox starts from has changed, so it is a new one. ${GONE}`,
  idle: `The sandbox had ended because nothing ran, and is a new one. ${GONE}`,
};

/** What a model has to know of the sandbox it works in now: that it is another one. Said once. */
export function replacementNotice(holder: SandboxHolder): string | null {
  const why = holder.takeReplacement();
  return why === undefined ? null : NOTICES[why];
}
