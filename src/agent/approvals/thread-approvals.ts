import type { ApprovalAnswer, ApprovalQuestion } from "../approval.ts";
import { ABORTED, orAborted } from "../or-aborted.ts";
import type { Verdict } from "../tools/tool.ts";
import type { TurnPort } from "../turn-port.ts";
import { visibleText } from "./visible-text.ts";

const VERDICTS: Readonly<Record<ApprovalAnswer, Verdict>> = {
  accept: "accepted",
  acceptForSession: "accepted",
  decline: "declined",
  cancel: "cancelled",
};

/** What was accepted for as long as a thread is loaded, by subject. */
export class ThreadApprovals {
  readonly #accepted = new Set<string>();

  /** Asks, unless that very subject was accepted. Whatever is no answer is none. */
  async ask(question: ApprovalQuestion, port: TurnPort): Promise<Verdict> {
    if (port.signal.aborted) return "unanswered";
    if (this.#accepted.has(question.subject)) return "accepted";
    const answer = await this.#answerOf(question, port);
    if (answer === ABORTED || port.signal.aborted) return "unanswered";
    if (answer === "acceptForSession") this.#accepted.add(question.subject);
    return Object.hasOwn(VERDICTS, answer) ? VERDICTS[answer] : "unanswered";
  }

  async #answerOf(question: ApprovalQuestion, port: TurnPort) {
    try {
      return await orAborted(port.approve(shown(question)), port.signal);
    } catch {
      return ABORTED;
    }
  }
}

/** The subject is of what runs; the words are for a person. */
function shown(question: ApprovalQuestion): ApprovalQuestion {
  const { command, cwd, reason } = question;
  return {
    ...question,
    command: visibleText(command),
    cwd: visibleText(cwd),
    reason: reason === null ? null : visibleText(reason),
  };
}
