import type { ApprovalAnswer, ApprovalQuestion } from "../approval.ts";
import { ABORTED, orAborted } from "../or-aborted.ts";
import type { Verdict } from "../tools/tool.ts";
import type { TurnFrame } from "../turn-frame.ts";
import type { TurnPort } from "../turn-port.ts";
import { visibleText } from "./visible-text.ts";

const VERDICTS: Readonly<Record<ApprovalAnswer, Verdict>> = {
  accept: "accepted",
  acceptForSession: "accepted",
  decline: "declined",
  cancel: "cancelled",
};

/** What a yes is for: the same name may come to stand for another machine. */
type Machine = object;

/** Rejects where a turn has no machine, or it cannot be reached. */
type MachineOf = (frame: TurnFrame) => Promise<Machine>;

/** What is typed goes to where its process is, wherever the turn works by now. */
const OF_PROCESSES: Machine = {};

/** What was accepted for as long as a thread is loaded, by machine and subject. */
export class ThreadApprovals {
  readonly #machineOf: MachineOf;
  readonly #accepted = new WeakMap<Machine, Set<string>>();

  constructor(machineOf: MachineOf) {
    this.#machineOf = machineOf;
  }

  /**
   * Asks, unless that very subject was accepted for the machine. Whatever is no answer is none, and an
   * answer about a machine that has become another is none about that.
   */
  async ask(question: ApprovalQuestion, frame: TurnFrame, port: TurnPort): Promise<Verdict> {
    const { kind, subject } = question;
    const look = () => (kind === "writeStdin" ? OF_PROCESSES : this.#machineIn(frame, port));
    const machine = await look();
    if (port.signal.aborted) return "unanswered";
    if (machine === undefined) return "moved";
    const isKnown = this.#accepted.get(machine)?.has(subject) === true;
    const answer = isKnown ? "accept" : await this.#answerOf(question, port);
    if (answer === ABORTED || port.signal.aborted) return "unanswered";
    const verdict = Object.hasOwn(VERDICTS, answer) ? VERDICTS[answer] : "unanswered";
    if (verdict !== "accepted") return verdict;
    if (!(await isRenewed(question, port))) return "unbounded";
    const isThere = (await look()) === machine;
    if (port.signal.aborted) return "unanswered";
    if (isThere && answer === "acceptForSession") this.#keep(machine, subject);
    return isThere ? verdict : "moved";
  }

  #keep(machine: Machine, subject: string): void {
    const known = this.#accepted.get(machine) ?? new Set();
    this.#accepted.set(machine, known.add(subject));
  }

  async #machineIn(frame: TurnFrame, port: TurnPort): Promise<Machine | undefined> {
    const found = this.#machineOf(frame).catch(() => undefined);
    const machine = await orAborted(found, port.signal);
    return machine === ABORTED ? undefined : machine;
  }

  async #answerOf(question: ApprovalQuestion, port: TurnPort) {
    try {
      return await orAborted(port.approve(shown(question)), port.signal);
    } catch {
      return ABORTED;
    }
  }
}

/** Of what leaves the sandbox: the question was open for long, or put long ago, and a ceiling may have been lowered since. */
async function isRenewed({ escalates }: ApprovalQuestion, port: TurnPort): Promise<boolean> {
  if (!escalates) return true;
  try {
    await orAborted(port.renew(), port.signal);
    return true;
  } catch {
    return false;
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
