/**
 * What the service refused or failed with, in the words of sessions.
 *
 * By status and code and never by text; nothing of an answer gets into a
 * sentence. A request that may have been carried out is never called refused.
 */
import { z } from "zod";
import { ReceiptStoreError } from "../../../exec/index.ts";
import { SessionError } from "../../session-error.ts";
import { type Attempt, attemptError, type Told } from "../attempt.ts";
import { NoAnswer } from "./sent-once.ts";

/** Of a VM that is over. */
export const STOPPED: Told = ["stopped", "the VM is over, expected one that lives"];
/** Of a change whose end nobody will know. */
export const INTERRUPTED: Told = [
  "interrupted",
  "it was begun and how it went is not known, expected an answer of the service",
];
const UNAVAILABLE: Told = [
  "unavailable",
  "the service gave no answer, expected one. Whether the VM lives is not known",
];
const REFUSED: Told = ["unavailable", "the service did not do it, expected it to; later it may"];

const NO_ANSWER: Readonly<Record<Attempt["work"], Told>> = {
  look: UNAVAILABLE,
  change: INTERRUPTED,
};

const OF_CODES: Readonly<Record<string, Told>> = {
  "410 snapshot_not_found": ["snapshotMissing", "what the VM starts from is gone, expected it"],
  "422 sandbox_stopping": ["stopping", "the VM is being ended, expected one that lives"],
  "422 sandbox_snapshotting": ["snapshotting", "the VM is being saved, expected it to be free"],
};

const NOT_TAKEN: Told = ["invalidInput", "the service does not take it, expected what it takes"];
const NOT_ALLOWED: Told = [
  "unavailable",
  "the service did not take the credentials, expected a token for this team and project",
];

const OF_STATUS: Readonly<Record<number, Told>> = {
  400: NOT_TAKEN,
  401: NOT_ALLOWED,
  403: NOT_ALLOWED,
  404: ["missing", "there is no such VM, expected one that was made"],
  410: STOPPED,
  422: NOT_TAKEN,
};

/** The shape of the SDK's own error; its class may be there twice. */
const Answered = z.object({
  response: z.object({ status: z.number() }),
  json: z
    .object({ error: z.object({ code: z.string() }) })
    .optional()
    .catch(undefined),
});

/** A {@link SessionError} for whatever came in the way of a request. */
export function toVmError(cause: unknown, attempt: Attempt): SessionError {
  if (cause instanceof SessionError) return cause;
  if (cause instanceof ReceiptStoreError) {
    const text = "its receipt cannot be kept, expected room for it";
    return attemptError(["unavailable", text], attempt, cause);
  }
  return attemptError(meaningOf(cause, attempt), attempt, cause);
}

/** Does something, and says in words of sessions what came in the way. */
export async function attemptingVm<T>(attempt: Attempt, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw toVmError(error, attempt);
  }
}

function meaningOf(cause: unknown, { work }: Attempt): Told {
  if (cause instanceof NoAnswer) return cause.status === 429 ? REFUSED : NO_ANSWER[work];
  const answered = Answered.safeParse(cause).data;
  // An answer that cannot be read says nothing about what was done.
  if (answered === undefined || answered.response.status < 400) return NO_ANSWER[work];
  const { status } = answered.response;
  const code = `${status} ${answered.json?.error.code ?? ""}`;
  return OF_CODES[code] ?? OF_STATUS[status] ?? REFUSED;
}
