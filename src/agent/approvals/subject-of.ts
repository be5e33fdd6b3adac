import { createHash } from "node:crypto";
import { profileDigest } from "../../policy/index.ts";
import type { ApprovalQuestion } from "../approval.ts";
import type { TurnFrame } from "../turn-frame.ts";

/** Names what confines the commands of a turn: its policy, and the folders that give it its meaning. */
export function sandboxName({ profile, cwd, workspaceRoots }: TurnFrame): string {
  return digestOf([profileDigest(profile), cwd, workspaceRoots]);
}

/** What a question is bound to: `more` is what the kind of question adds. */
export function subjectOf(
  question: Pick<ApprovalQuestion, "kind" | "argv" | "cwd" | "escalates">,
  frame: TurnFrame,
  more: readonly string[] = [],
): string {
  const { kind, argv, cwd, escalates } = question;
  return digestOf([kind, argv, cwd, escalates, sandboxName(frame), frame.environment, more]);
}

/** Of lists in a fixed order, so that their JSON is canonical. */
function digestOf(parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}
