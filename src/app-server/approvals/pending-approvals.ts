/**
 * Questions of a thread that wait for somebody to answer.
 *
 * Every follower of the thread is asked under the same id, and so is one that
 * comes later; the first answer counts. Only who was asked can answer. What is no
 * answer that was offered counts as no, and so does an error.
 */
import type { ApprovalAnswer, ApprovalQuestion } from "../../agent/index.ts";
import { RpcFailure } from "../../rpc/index.ts";
import type { AppConnection } from "../app-connection.ts";
import { appProtocol } from "../protocol/app-protocol.ts";
import type { Subscribers } from "../threads/subscribers.ts";

const { ask, notify } = appProtocol.toClient;

/** The answers that are offered; no other is taken. */
const DECISIONS: readonly ApprovalAnswer[] = ["accept", "acceptForSession", "decline", "cancel"];

export interface ApprovalContext {
  readonly thread: string;
  readonly turn: string;
  readonly environment: string | null;
  readonly atMs: number;
  /** Fires when the turn is stopped. */
  readonly signal: AbortSignal;
}

interface Pending {
  readonly id: number;
  readonly thread: string;
  /** Puts it to one of them. */
  readonly put: (
    connection: AppConnection,
    options: { readonly id: number; readonly signal: AbortSignal },
  ) => Promise<{ readonly decision: ApprovalAnswer }>;
  readonly asked: Map<AppConnection, AbortController>;
  readonly answer: (decision: unknown) => void;
  readonly refuse: (cause: unknown) => void;
}

export interface PendingApprovalsOptions {
  readonly subscribers: Subscribers;
  /** Counted for the whole server. */
  readonly nextId: () => number;
  /** Told whenever the number of open questions changes. */
  readonly changed: () => void;
}

export class PendingApprovals {
  readonly #options: PendingApprovalsOptions;
  readonly #pending = new Map<number, Pending>();

  constructor(options: PendingApprovalsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#pending.size;
  }

  /** Settles with the first answer; rejects where that was none. A turn that is stopped cancels. */
  async ask(question: ApprovalQuestion, context: ApprovalContext): Promise<ApprovalAnswer> {
    if (context.signal.aborted) return "cancel";
    const { promise, resolve, reject } = Promise.withResolvers<ApprovalAnswer>();
    const pending: Pending = {
      id: this.#options.nextId(),
      thread: context.thread,
      put: puttingOf(question, context),
      asked: new Map(),
      answer: (decision) => {
        const known = DECISIONS.find((one) => one === decision);
        if (known !== undefined) resolve(known);
        else reject(new Error("the answer was none of those that were offered"));
      },
      refuse: (cause) => reject(new Error("the answer was no answer", { cause })),
    };
    const stopped = () => resolve("cancel");
    context.signal.addEventListener("abort", stopped, { once: true });
    this.#pending.set(pending.id, pending);
    this.#options.changed();
    for (const connection of this.#options.subscribers) this.#put(pending, connection);
    try {
      return await promise;
    } finally {
      context.signal.removeEventListener("abort", stopped);
      this.#close(pending);
    }
  }

  /** Asks somebody who follows the thread from now on what is still open. */
  replay(connection: AppConnection): void {
    if (!this.#options.subscribers.has(connection)) return;
    for (const pending of this.#pending.values()) {
      if (!pending.asked.has(connection)) this.#put(pending, connection);
    }
  }

  /** Somebody follows no more; an answer that still comes does not count. */
  drop(connection: AppConnection): void {
    for (const { asked } of this.#pending.values()) {
      asked.get(connection)?.abort();
      asked.delete(connection);
    }
  }

  #put(pending: Pending, connection: AppConnection): void {
    const stop = new AbortController();
    pending.asked.set(connection, stop);
    pending.put(connection, { id: pending.id, signal: stop.signal }).then(
      ({ decision }) => pending.answer(decision),
      (error: unknown) => {
        if (!isGone(error)) pending.refuse(error);
        // Who left and came back has been asked again by now.
        else if (pending.asked.get(connection) === stop) pending.asked.delete(connection);
      },
    );
  }

  #close(pending: Pending): void {
    this.#pending.delete(pending.id);
    for (const stop of pending.asked.values()) stop.abort();
    const { id: requestId, thread: threadId } = pending;
    this.#options.subscribers.notify(notify.serverRequestResolved, { threadId, requestId });
    this.#options.changed();
  }
}

/** Nobody said anything: the connection ended, or was no longer asked. */
function isGone(error: unknown): boolean {
  return error instanceof RpcFailure && (error.code === "closed" || error.code === "cancelled");
}

/** Each kind of question has a request of its own. */
function puttingOf(question: ApprovalQuestion, context: ApprovalContext): Pending["put"] {
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
