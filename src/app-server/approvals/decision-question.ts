/** Questions that are answered with a word: whether a command may run, whether files may be changed. */
import type { ApprovalAnswer, ApprovalQuestion } from "../../agent/index.ts";
import { appProtocol } from "../protocol/app-protocol.ts";
import type { ApprovalContext, PendingQuestion } from "./pending-question.ts";

const { ask } = appProtocol.toClient;

/** The answers that are offered; no other is taken. */
const DECISIONS: readonly ApprovalAnswer[] = ["accept", "acceptForSession", "decline", "cancel"];

/** Each kind of question has a request of its own. */
export function decisionQuestion(
  question: ApprovalQuestion,
  context: ApprovalContext,
): PendingQuestion<ApprovalAnswer> {
  return { put: puttingOf(question, context), read: readDecision, stopped: "cancel" };
}

function readDecision(result: unknown): ApprovalAnswer | undefined {
  const { decision } = Object(result);
  return DECISIONS.find((one) => one === decision);
}

function puttingOf(
  question: ApprovalQuestion,
  context: ApprovalContext,
): PendingQuestion<ApprovalAnswer>["put"] {
  const { kind, itemId, reason } = question;
  const { thread: threadId, turn: turnId, atMs: startedAtMs } = context;
  const asked = { threadId, turnId, itemId, startedAtMs, reason };
  if (kind === "fileChange") {
    const params = { ...asked, grantRoot: null };
    return (connection, options) => connection.ask(ask.fileChangeApproval, params, options);
  }
  const params = { ...asked, kind, ...commandParams(question, context) };
  return (connection, options) => connection.ask(ask.commandApproval, params, options);
}

function commandParams(
  { approvalId, command, cwd }: ApprovalQuestion,
  { environment }: ApprovalContext,
) {
  return {
    approvalId,
    environmentId: environment,
    networkApprovalContext: null,
    command,
    cwd,
    commandActions: [{ type: "unknown" as const, command }],
    additionalPermissions: null,
    proposedExecpolicyAmendment: null,
    proposedNetworkPolicyAmendments: null,
    availableDecisions: [...DECISIONS],
  };
}
