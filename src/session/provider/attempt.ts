import { SessionError, type SessionErrorCode } from "../session-error.ts";

/** What was being done, for the sentence and for what its failure means. */
export interface Attempt {
  readonly verb: string;
  readonly thing: string;
  readonly work: "look" | "change";
}

/** What came of it: the code, and what is and what should be. */
export type Told = readonly [SessionErrorCode, string];

/** Says of an attempt what came in its way. */
export function attemptError([code, text]: Told, attempt: Attempt, cause?: unknown): SessionError {
  return new SessionError(code, `Cannot ${attempt.verb} "${attempt.thing}": ${text}`, { cause });
}
