/** What another machine answered, in the words of this layer. */
import { z } from "zod";
import { RpcError, RpcFailure } from "../../rpc/index.ts";
import { RECEIPT_ID } from "../../sandbox/index.ts";
import { ExecError, type ExecErrorCode } from "../exec-error.ts";
import { toldWords } from "./told-words.ts";

const Details = z.object({
  field: z.string().optional().catch(undefined),
  writ: z
    .object({
      code: z
        .enum(["invalidRequest", "notAllowed", "unenforceable", "spawnFailed", "unknownAnchor"])
        .optional()
        .catch(undefined),
      receiptId: z.string().regex(RECEIPT_ID).optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
});

/** A refusal or failure of a call as an {@link ExecError}; what is neither is returned as it is. */
export function toExecError(fault: unknown): unknown {
  if (fault instanceof RpcError) return refusalOf(fault);
  if (fault instanceof RpcFailure) {
    return new ExecError(FAILURES[fault.code], toldWords(fault.message), { cause: fault });
  }
  return fault;
}

const FAILURES: Record<RpcFailure["code"], ExecErrorCode> = {
  closed: "disconnected",
  timedOut: "untrustedServer",
  cancelled: "disconnected",
  badParams: "invalidRequest",
  badReply: "untrustedServer",
};

function refusalOf(fault: RpcError): ExecError {
  const read = Details.safeParse(fault.data);
  const { field, writ } = read.success ? read.data : {};
  const code = writ?.code ?? (fault.code === "internalError" ? "spawnFailed" : "invalidRequest");
  return new ExecError(code, toldWords(fault.message), {
    cause: fault,
    ...(field !== undefined && { field }),
    ...(writ?.receiptId !== undefined && { receiptId: writ.receiptId }),
  });
}
