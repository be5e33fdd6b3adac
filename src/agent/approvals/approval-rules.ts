/**
 * What has to be asked before a tool acts.
 *
 * Pure. A policy that never asks refuses what it would have to ask; whoever is
 * not confined at all has nothing to ask for.
 */
import { createHash } from "node:crypto";
import { profileDigest } from "../../policy/index.ts";
import type { ApprovalPolicy, ApprovalQuestion } from "../approval.ts";
import type { TurnFrame } from "../turn-frame.ts";
import { isKnownReader } from "./is-known-reader.ts";

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

interface WriteToJudge {
  /** The sandbox that the process was started in. */
  readonly launchedUnder: string;
  /** Whether its machine is not the one that the turn works on by now. */
  readonly isElsewhere: boolean;
  /** Whether it may be more than a look, or ^C. */
  readonly isTyped: boolean;
}

const RUN: Ruling = { kind: "run" };
const ASK: Ruling = { kind: "ask" };
const NOWHERE: Ruling = {
  kind: "refuse",
  message: "Cannot run a command: the thread has no environment, expected one",
};

/** What a call needs before it may act. */
export const approvalRules = { judgeCommand, judgeWrite, judgeFileChange, judgePermissions };

/** Whether a command runs, is asked about or is refused. */
function judgeCommand({ line, escalates }: CommandToJudge, frame: TurnFrame): Ruling {
  // Nobody is asked about what has nowhere to run.
  if (frame.environment === null) return NOWHERE;
  if (frame.profile.type === "disabled") return RUN;
  if (escalates) return judgeBeyond(frame.approval, "run it outside the sandbox");
  return frame.approval === "untrusted" && !isKnownReader(line) ? ASK : RUN;
}

/** The same for a write to a process. To a shell what is typed is one more command. */
function judgeWrite(write: WriteToJudge, frame: TurnFrame): Ruling {
  const { launchedUnder, isElsewhere, isTyped } = write;
  if (frame.profile.type === "disabled") return RUN;
  if (launchedUnder !== sandboxName(frame)) {
    return judgeBeyond(frame.approval, "write to a process that was started under another policy");
  }
  if (isElsewhere) return judgeBeyond(frame.approval, "write to a process of another machine");
  return isTyped && frame.approval === "untrusted" ? ASK : RUN;
}

/** The same for files; `escalates` where the policy does not open them. */
function judgeFileChange(escalates: boolean, frame: TurnFrame): Ruling {
  if (frame.profile.type === "disabled") return RUN;
  if (escalates) return judgeBeyond(frame.approval, "change files that the policy does not open");
  return frame.approval === "untrusted" ? ASK : RUN;
}

/** Why more may not even be asked for; nothing where it may. */
function judgePermissions({ approval, environment, profile }: TurnFrame): string | undefined {
  const cannot = "Cannot ask for permissions";
  if (environment === null) return `${cannot}: the thread has no environment, expected one`;
  if (profile.type !== "managed") {
    return `${cannot}: writ does not enforce the policy, expected one that it does`;
  }
  if (approval === "never") {
    return `${cannot}: the approval policy is "never", expected one that lets them be asked for`;
  }
  if (typeof approval === "string" || approval.granular.request_permissions) return undefined;
  return `${cannot}: the approval policy has "request_permissions" off, expected it on`;
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

/** Names what confines the commands of a turn: its policy, and the folders and the machine that give it its meaning. */
export function sandboxName({ profile, cwd, workspaceRoots, environment }: TurnFrame): string {
  return digestOf([profileDigest(profile), cwd, workspaceRoots, environment]);
}

/** What a question is bound to: `more` is what the kind of question adds. */
export function subjectOf(
  question: Pick<ApprovalQuestion, "kind" | "argv" | "cwd" | "escalates">,
  frame: TurnFrame,
  more: readonly string[] = [],
): string {
  const { kind, argv, cwd, escalates } = question;
  return digestOf([kind, argv, cwd, escalates, sandboxName(frame), more]);
}

/** Of lists in a fixed order, so that their JSON is canonical. */
function digestOf(parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}
