import { Refusal } from "../refusal.ts";
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
  const sentence = `Cannot ${attempt.verb} "${attempt.thing}": ${text}`;
  // What is wrong with what was asked for is for whoever asked, who can mend it.
  if (code === "invalidInput") return new Refusal(code, sentence, { cause });
  return new SessionError(code, sentence, { cause });
}
