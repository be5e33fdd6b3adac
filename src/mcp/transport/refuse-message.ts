/**
 * What must be answered before an SDK sees it: the SDK drops a request it cannot
 * read without a word, and its caller waits until it gives up.
 */
import { type Incoming, JSON_LIMITS, JsonError, readJson } from "../../rpc/index.ts";
import { isObject } from "../is-object.ts";

/** The members of an answer that refuses. */
export interface MessageRefusal {
  readonly jsonrpc: "2.0";
  readonly id: string | number | null;
  readonly error: { readonly code: number; readonly message: string };
}

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const INVALID_PARAMS = -32602;

/** A message that somebody may serve, or the answer to one that nobody can. */
export type ReadText =
  | { readonly kind: "message"; readonly message: unknown }
  | { readonly kind: "refused"; readonly answer: MessageRefusal };

/** Reads what arrived. Two members of one name are no message: nobody can say which of them counts. */
export function readText(incoming: Incoming): ReadText {
  if (incoming.kind === "malformed") return refusedText(incoming.reason);
  try {
    const message = readJson(incoming.text, JSON_LIMITS);
    const answer = refuseMessage(message);
    return answer === undefined ? { kind: "message", message } : { kind: "refused", answer };
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return refusedText(error.message);
  }
}

function refusedText(why: string): ReadText {
  return { kind: "refused", answer: refusal(null, PARSE_ERROR, why) };
}

/** The answer to a message that nobody can serve; nothing where somebody may. */
export function refuseMessage(message: unknown): MessageRefusal | undefined {
  if (Array.isArray(message)) {
    return refusal(
      null,
      INVALID_REQUEST,
      "Cannot read the message: it is an array, expected one message",
    );
  }
  if (!isObject(message)) {
    return refusal(null, INVALID_REQUEST, "Cannot read the message: expected an object");
  }
  const { id, method, params } = message;
  // What is no request gets no answer: it could be taken for one to something else.
  if (typeof method !== "string" || !Object.hasOwn(message, "id")) return undefined;
  if (typeof id !== "string" && !Number.isSafeInteger(id)) {
    return refusal(
      null,
      INVALID_REQUEST,
      'Cannot read the request: its "id" is neither text nor an integer',
    );
  }
  const fault = faultOf(params);
  if (fault === undefined) return undefined;
  return refusal(id as string | number, INVALID_PARAMS, `Cannot read "${method}": ${fault}`);
}

/** The answer to a request that passed {@link refuseMessage} and that the SDK cannot read all the same. */
export function refuseUnreadable(message: unknown): MessageRefusal | undefined {
  if (!isObject(message)) return undefined;
  const { id, method } = message;
  if (typeof method !== "string" || (typeof id !== "string" && typeof id !== "number")) {
    return undefined;
  }
  return refusal(
    id,
    INVALID_REQUEST,
    `Cannot read "${method}": expected a request of JSON-RPC 2.0`,
  );
}

function faultOf(params: unknown): string | undefined {
  if (params === undefined) return undefined;
  if (!isObject(params)) return '"params" is not an object';
  const { _meta: meta } = params;
  if (!Object.hasOwn(params, "_meta")) return undefined;
  if (!isObject(meta)) return '"_meta" is not an object';
  const { progressToken: token } = meta;
  if (token === undefined || typeof token === "string" || Number.isSafeInteger(token))
    return undefined;
  return '"_meta.progressToken" is neither text nor an integer';
}

function refusal(id: MessageRefusal["id"], code: number, message: string): MessageRefusal {
  return { jsonrpc: "2.0", id, error: { code, message } };
}
