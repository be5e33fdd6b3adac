/**
 * Questions of a thread that wait for somebody to answer.
 *
 * Every follower of the thread is asked under the same id, and so is one that
 * comes later; the first answer counts. Only who was asked can answer. What is no
 * answer that was offered counts as no, and so does an error.
 */
import type {
  ApprovalAnswer,
  ApprovalQuestion,
  PermissionAnswer,
  PermissionQuestion,
} from "../../agent/index.ts";
import { RpcFailure } from "../../rpc/index.ts";
import type { AppConnection } from "../app-connection.ts";
import { appProtocol } from "../protocol/app-protocol.ts";
import type { Subscribers } from "../threads/subscribers.ts";
import { decisionQuestion } from "./decision-question.ts";
import type { ApprovalContext, PendingQuestion } from "./pending-question.ts";
import { permissionQuestion } from "./permission-question.ts";

const { notify } = appProtocol.toClient;

interface Pending {
  readonly id: number;
  readonly thread: string;
  readonly put: PendingQuestion<unknown>["put"];
  readonly asked: Map<AppConnection, AbortController>;
  readonly answer: (result: unknown) => void;
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
  ask(question: ApprovalQuestion, context: ApprovalContext): Promise<ApprovalAnswer> {
    return this.#ask(decisionQuestion(question, context), context);
  }

  /** The same for more than the policy allows. A turn that is stopped is given nothing. */
  askPermissions(
    question: PermissionQuestion,
    context: ApprovalContext,
  ): Promise<PermissionAnswer> {
    return this.#ask(permissionQuestion(question, context), context);
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

  async #ask<A>(
    { put, read, stopped }: PendingQuestion<A>,
    { thread, signal }: ApprovalContext,
  ): Promise<A> {
    if (signal.aborted) return stopped;
    const { promise, resolve, reject } = Promise.withResolvers<A>();
    const pending: Pending = {
      ...{ id: this.#options.nextId(), thread, put, asked: new Map() },
      answer: (result) => {
        const answer = read(result);
        if (answer !== undefined) resolve(answer);
        else reject(new Error("the answer was none of those that were offered"));
      },
      refuse: (cause) => reject(new Error("the answer was no answer", { cause })),
    };
    const stop = () => resolve(stopped);
    signal.addEventListener("abort", stop, { once: true });
    this.#pending.set(pending.id, pending);
    this.#options.changed();
    for (const connection of this.#options.subscribers) this.#put(pending, connection);
    try {
      return await promise;
    } finally {
      signal.removeEventListener("abort", stop);
      this.#close(pending);
    }
  }

  #put(pending: Pending, connection: AppConnection): void {
    const stop = new AbortController();
    pending.asked.set(connection, stop);
    pending.put(connection, { id: pending.id, signal: stop.signal }).then(
      (result) => pending.answer(result),
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
