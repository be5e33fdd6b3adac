/** What a file operation on another machine failed with, in the words of those on this one. */
import { z } from "zod";
import { RpcError } from "../../../rpc/index.ts";
import { RECEIPT_ID } from "../../../sandbox/index.ts";
import { ExecError } from "../../exec-error.ts";
import { FileError, type FileErrorCode } from "../../files/file-error.ts";
import { toExecError } from "../to-exec-error.ts";
import { toldWords } from "../told-words.ts";

/** Servers end their sentences with the number that the system gave the error. */
const BY_NUMBER: Readonly<Record<string, FileErrorCode>> = {
  1: "denied",
  2: "notFound",
  13: "denied",
  16: "busy",
  17: "exists",
  20: "notDirectory",
  21: "isDirectory",
  30: "readOnly",
  39: "notEmpty",
  40: "loop",
};

/** Ours says so; it has no number for it, as the system knows no such error. */
const BY_WORDS: readonly [FileErrorCode, RegExp][] = [
  ["tooMany", /^directory has more than \d+ entries$/],
  ["tooLarge", /^file is too large for one answer: /],
];

const NamesField = z.object({ field: z.string() });

/** A {@link FileError} where the operation failed, an `ExecError` where it was not tried. */
export function toFileError(fault: unknown): unknown {
  if (!(fault instanceof RpcError)) return toExecError(fault);
  const number = /\(os error (\d+)\)$/.exec(fault.message)?.[1];
  const code = number === undefined ? undefined : BY_NUMBER[number];
  if (code !== undefined) return fileError(code, fault);
  const said = BY_WORDS.find(([, words]) => words.test(fault.message));
  if (said !== undefined) return fileError(said[0], fault);
  switch (fault.code) {
    case "notFound":
      return fileError("notFound", fault);
    case "internalError":
      return fileError("io", fault);
    case "invalidRequest":
      // What is wrong with the intent is told with the member that is at fault.
      if (!NamesField.safeParse(fault.data).success) return fileError("invalid", fault);
      break;
  }
  return toExecError(fault);
}

const NamesReceipt = z.object({ writ: z.object({ receiptId: z.string().regex(RECEIPT_ID) }) });

/** The receipt that the other machine kept of what it refused or failed to do, where it names one. */
export function receiptIdOf(error: unknown): string | undefined {
  if (error instanceof ExecError) return error.receiptId;
  const cause = error instanceof FileError ? error.cause : undefined;
  const read = NamesReceipt.safeParse(cause instanceof RpcError ? cause.data : undefined);
  return read.success ? read.data.writ.receiptId : undefined;
}

function fileError(code: FileErrorCode, cause: RpcError): FileError {
  return new FileError(code, toldWords(cause.message), { cause });
}
