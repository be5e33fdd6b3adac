import type { AppConnection, Question } from "../app-connection.ts";

/** What a question is asked in. */
export interface ApprovalContext {
  readonly thread: string;
  readonly turn: string;
  readonly environment: string | null;
  readonly atMs: number;
  /** Fires when the turn is stopped. */
  readonly signal: AbortSignal;
}

/** A kind of question: how it is put, and what an answer means. */
export interface PendingQuestion<A> {
  /** Puts it to one of them. */
  readonly put: (connection: AppConnection, options: Question) => Promise<unknown>;
  /** Nothing for what is none of the answers that were offered. */
  readonly read: (result: unknown) => A | undefined;
  /** The answer of a turn that is stopped. */
  readonly stopped: A;
}
