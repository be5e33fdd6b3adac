/**
 * Errors in our own words.
 *
 * A {@link Refusal} was put into words here and says what is in the way. Whatever
 * else a provider throws may hold addresses and answers of its servers, so only
 * its code is believed and a sentence for that code is what travels on; the
 * original stays in `cause`, for whoever runs the host.
 */
import { SessionError, type SessionErrorCode } from "./session-error.ts";

/** A session error whose sentence was written here, and may be shown as it is. */
export class Refusal extends SessionError {}

const SENTENCES: Record<SessionErrorCode, string> = {
  stopped: "the sandbox is over, expected one that runs",
  stopping: "the sandbox is being ended, expected one that runs",
  snapshotting: "the sandbox is being saved, expected it to be free",
  missing: "there is no such sandbox any more, expected one that runs",
  snapshotMissing: "what the sandbox starts from is gone, expected it to be kept",
  snapshotFailed: "what the sandbox starts from could not be built, expected it to be",
  unavailable: "the sandbox did not answer as it should, expected it to; a later call may succeed",
  exists: "something is there already, expected nothing",
  notFound: "there is nothing at that path, expected it to exist",
  forbidden: "the policy does not allow it, expected something that it allows",
  interrupted:
    "the sandbox was lost on the way and the outcome is not known, expected it to last; nothing is run again by itself",
  timeout: "it took too long, expected an answer in time",
  aborted: "it was cancelled, expected it to be wanted",
  invalidInput: "the sandbox does not take that, expected something that it takes",
  unsupported: "this sandbox has no way to do that, expected one that has",
};

/** `error` in our own words; `what` is what could not be done: `run "bash"`. */
export function refusalOf(error: unknown, what: string): Refusal {
  if (error instanceof Refusal) return error;
  const code = codeOf(error);
  return new Refusal(code, `Cannot ${what}: ${SENTENCES[code]}`, { cause: error });
}

/** What an error says to a program; one that is not of the session layer says nothing. */
export function codeOf(error: unknown): SessionErrorCode {
  return error instanceof SessionError ? error.code : "unavailable";
}

/** Whether the sandbox of an error is known to be over. */
export function isOver(error: unknown): boolean {
  const code = codeOf(error);
  return code === "stopped" || code === "missing";
}

/** Throws `aborted` where nobody wants the outcome any more. */
export function refuseAborted(signal: AbortSignal, what: string): void {
  if (signal.aborted) throw refusalOf(new SessionError("aborted", "aborted"), what);
}
