import type { Malformed, RpcDialect } from "../dialect.ts";
import { JsonError } from "../json/json-error.ts";
import type { JsonLimits } from "../json/json-limits.ts";
import { type RpcMessage, readMessage } from "../message/read-message.ts";
import type { RequestId } from "../message/request-id.ts";
import { unreadReplyId } from "../message/unread-reply-id.ts";
import { unreadRequestId } from "../message/unread-request-id.ts";
import type { Incoming, Transport } from "../transports/transport.ts";

/** What arrived: a message, or the reason why it is none. */
export type Arrival =
  | RpcMessage
  | {
      readonly kind: "malformed";
      readonly problem: Malformed;
      /** The call it would have answered, where that shows. */
      readonly replyId?: number;
    };

type Unread = Extract<Arrival, { kind: "malformed" }>;

export interface Reading {
  readonly transport: Transport;
  readonly dialect: RpcDialect;
  readonly limits: JsonLimits;
}

/** Reads one arrival. Never throws: a stranger's bytes are an outcome, not a fault. */
export function readIncoming(incoming: Incoming, reading: Reading): Arrival {
  const { ids } = reading.dialect;
  if (incoming.kind === "malformed") {
    const found = malformed("notText", incoming.reason, reading);
    return askedBy(found, unreadRequestId(incoming.beginning ?? "", ids));
  }
  try {
    return readMessage(incoming.text, { ids, limits: reading.limits });
  } catch (error) {
    const kind = error instanceof JsonError ? "notJson" : "notMessage";
    const found = malformed(kind, error instanceof Error ? error.message : "unreadable", reading);
    const replyId = unreadReplyId(incoming.text);
    if (replyId !== undefined) return { ...found, replyId };
    const requestId = isTooMuch(error) ? unreadRequestId(incoming.text, ids) : undefined;
    return askedBy(found, requestId);
  }
}

function askedBy(found: Unread, requestId: RequestId | undefined): Unread {
  return requestId === undefined ? found : { ...found, problem: { ...found.problem, requestId } };
}

/** JSON that somebody may have meant, as opposed to none. */
function isTooMuch(error: unknown): boolean {
  return error instanceof JsonError && error.code !== "syntax";
}

function malformed(kind: Malformed["kind"], reason: string, { transport }: Reading): Unread {
  const { kind: transportKind, label } = transport;
  return { kind: "malformed", problem: { kind, reason, transport: transportKind, label } };
}
