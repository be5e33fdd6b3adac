/**
 * What an executor refused or failed with, in the words of sessions.
 *
 * By code and never by text. What was only looked at can be looked at again; of
 * a change that has no answer nobody knows whether it happened.
 */
import {
  ExecError,
  type ExecErrorCode,
  FileError,
  type FileErrorCode,
  MAX_ENTRIES,
  ReceiptStoreError,
} from "../../../exec/index.ts";
import { PolicyError } from "../../../policy/index.ts";
import { Refusal } from "../../refusal.ts";
import type { SessionError } from "../../session-error.ts";
import { type Attempt, attemptError, type Told } from "../attempt.ts";

const FORBIDDEN: Told = [
  "forbidden",
  "the policy or the rights of the user do not allow it, expected a path that they open",
];
const UNAVAILABLE: Told = [
  "unavailable",
  "the executor gave no answer, expected one. Whether the sandbox lives is not known",
];
/** Of a change whose end nobody will know. */
export const INTERRUPTED: Told = [
  "interrupted",
  "it was begun and how it went is not known, expected an answer of the executor",
];
/** Of a sandbox that is over. */
export const STOPPED: Told = ["stopped", "the sandbox is over, expected one that lives"];

const NO_ANSWER: Readonly<Record<Attempt["work"], Told>> = {
  look: UNAVAILABLE,
  change: INTERRUPTED,
};

/** `refused`: nothing ran, and the executor's own sentence says why. */
const OF_EXECUTOR: Readonly<Record<ExecErrorCode, Told | "refused" | "noAnswer">> = {
  invalidRequest: "refused",
  notAllowed: "refused",
  unenforceable: "refused",
  spawnFailed: ["invalidInput", "it could not be started, expected a program that can be"],
  untrustedServer: "noAnswer",
  disconnected: "noAnswer",
  lostOutput: INTERRUPTED,
  unkept: INTERRUPTED,
  unknownAnchor: STOPPED,
};

const UNREADABLE: Told = [
  "invalidInput",
  "it is no plain file or too large, expected one that can be read at once",
];

const OF_FILES: Readonly<Record<FileErrorCode, Told>> = {
  notFound: ["notFound", "there is nothing of that name, expected a file or folder"],
  denied: FORBIDDEN,
  readOnly: FORBIDDEN,
  busy: FORBIDDEN,
  loop: FORBIDDEN,
  exists: ["exists", "something is there, expected nothing"],
  notEmpty: ["exists", "something is in it, expected nothing"],
  notDirectory: ["invalidInput", "a part of its path is no folder, expected one"],
  isDirectory: ["invalidInput", "it is a folder, expected a file"],
  invalid: UNREADABLE,
  tooLarge: UNREADABLE,
  tooMany: [
    "invalidInput",
    `it has more than ${MAX_ENTRIES} entries, expected at most as many. Look at a part of it with a command, such as ls or find`,
  ],
  io: ["unavailable", "the machine of the sandbox failed, expected it to read and write"],
};

/** A {@link SessionError} for what an executor threw; what it cannot have meant stays what it is. */
export function toSessionError(cause: unknown, attempt: Attempt): unknown {
  if (cause instanceof FileError) return attemptError(OF_FILES[cause.code], attempt, cause);
  if (cause instanceof PolicyError) return new Refusal("forbidden", cause.message, { cause });
  if (cause instanceof ReceiptStoreError) {
    return new Refusal("unavailable", cause.message, { cause });
  }
  if (!(cause instanceof ExecError)) return cause;
  if (isWithoutFolder(cause)) return attemptError(noFolder(attempt), attempt, cause);
  const meant = OF_EXECUTOR[cause.code];
  if (meant === "refused") return new Refusal("forbidden", cause.message, { cause });
  return attemptError(meant === "noAnswer" ? NO_ANSWER[attempt.work] : meant, attempt, cause);
}

function isWithoutFolder({ code, field }: ExecError): boolean {
  return code === "spawnFailed" && field === "cwd";
}

function noFolder({ folder = "" }: Attempt): Told {
  return ["invalidInput", `"${folder}" is missing or is no folder, expected a folder to start in`];
}

/** Does something, and says in words of sessions what came in the way. */
export async function attempting<T>(attempt: Attempt, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw toSessionError(error, attempt);
  }
}
