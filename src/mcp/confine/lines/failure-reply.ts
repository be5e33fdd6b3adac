/** What is said to the client in the server's place. */
import { receiptMeta } from "../../state/receipt-of-result.ts";
import { refusalResult } from "../../state/refusal-result.ts";
import type { Request } from "./line.ts";
import { isModern } from "./meta-of.ts";

/** The server cannot answer; the range is that of errors of a server. */
const NOT_SERVED = -32000;

/** What is needed to answer a request that nobody will answer. */
export interface Asked extends Pick<Request, "idText" | "method"> {
  /** Whether results have to say that they are complete. */
  readonly isModern: boolean;
}

/** What is kept of a request to answer it. */
export function askedBy(request: Request): Asked {
  const { idText, method } = request;
  return { idText, method, isModern: isModern(request) };
}

/** An error of the protocol, to a request or, without one, to nobody in particular. */
export function errorReply(idText: string | undefined, code: number, message: string): string {
  const error = JSON.stringify({ code, message });
  return `{"jsonrpc":"2.0","id":${idText ?? "null"},"error":${error}}`;
}

/**
 * Says why a request is not answered: to a model as the result of its call, with what is on record of that, to a
 * program as an error.
 */
export function failureReply(
  { idText, method, isModern }: Asked,
  message: string,
  receiptId: string | null = null,
): string {
  if (method !== "tools/call") return errorReply(idText, NOT_SERVED, message);
  const result = {
    ...(isModern && { resultType: "complete" }),
    ...refusalResult({ message }),
    ...(receiptId !== null && { _meta: receiptMeta(receiptId) }),
  };
  return `{"jsonrpc":"2.0","id":${idText},"result":${JSON.stringify(result)}}`;
}

/** Takes a question of the server back. */
export function cancelNotice(idText: string, reason: string): string {
  const why = JSON.stringify(reason);
  return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${idText},"reason":${why}}}`;
}
