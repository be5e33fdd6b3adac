import { Refusal } from "../refusal.ts";
import { SessionError, type SessionErrorCode } from "../session-error.ts";

/** What was being done, for the sentence and for what its failure means. */
export interface Attempt {
  readonly verb: string;
  readonly thing: string;
  readonly work: "look" | "change";
  /** Where something was to be started. */
  readonly folder?: string;
}

/** What came of it: the code, and what is and what should be. */
export type Told = readonly [SessionErrorCode, string];

/** What became of the sandbox itself is for its session to say, which knows whether there is another. */
const OF_ITS_LIFE: ReadonlySet<SessionErrorCode> = new Set([
  ...(["stopped", "stopping", "snapshotting", "missing", "snapshotMissing"] as const),
  "interrupted",
]);

/** What could not be done, where it cannot: `run "bash"`. */
export function whatOf({ verb, thing }: Attempt): string {
  return `${verb} "${thing}"`;
}

/** Says of an attempt what came in its way. */
export function attemptError([code, text]: Told, attempt: Attempt, cause?: unknown): SessionError {
  const sentence = `Cannot ${whatOf(attempt)}: ${text}`;
  if (OF_ITS_LIFE.has(code)) return new SessionError(code, sentence, { cause });
  return new Refusal(code, sentence, { cause });
}
