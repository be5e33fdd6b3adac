/**
 * What has to be asked before a tool acts.
 *
 * Pure. A policy that never asks refuses what it would have to ask; whoever is
 * not confined at all has nothing to ask for.
 */
import type { TurnFrame } from "../turn-frame.ts";
import type { ApprovalPolicy } from "../approval.ts";
import { isKnownReader } from "./is-known-reader.ts";
import { sandboxName } from "./subject-of.ts";

export type Ruling =
  | { readonly kind: "run" }
  | { readonly kind: "ask" }
  | { readonly kind: "refuse"; readonly message: string };

export interface CommandToJudge {
  /** As the model wrote it. */
  readonly line: string;
  /** Whether it asks to run without the sandbox. */
  readonly escalates: boolean;
}

const RUN: Ruling = { kind: "run" };
const ASK: Ruling = { kind: "ask" };

/** Whether a command runs, is asked about or is refused. */
export function judgeCommand({ line, escalates }: CommandToJudge, frame: TurnFrame): Ruling {
  if (frame.profile.type === "disabled") return RUN;
  if (escalates) return judgeBeyond(frame.approval, "run it outside the sandbox");
  return frame.approval === "untrusted" && !isKnownReader(line) ? ASK : RUN;
}

/** The same for a write to a process; `launchedUnder` is the sandbox it was started in. */
export function judgeWrite(launchedUnder: string, frame: TurnFrame): Ruling {
  if (frame.profile.type === "disabled" || launchedUnder === sandboxName(frame)) return RUN;
  return judgeBeyond(frame.approval, "write to a process that was started under another policy");
}

function judgeBeyond(approval: ApprovalPolicy, what: string): Ruling {
  if (approval === "never") return refusal(what, 'the approval policy is "never"');
  if (typeof approval === "string" || approval.granular.sandbox_approval) return ASK;
  return refusal(what, 'the approval policy has "sandbox_approval" off');
}

function refusal(what: string, why: string): Ruling {
  return {
    kind: "refuse",
    message: `Cannot ${what}: ${why}, expected one that lets it be asked for`,
  };
}
