import type { Malformed, RpcDialect } from "../dialect.ts";
import { JsonError } from "../json/json-error.ts";
import type { JsonLimits } from "../json/json-limits.ts";
import { type RpcMessage, readMessage } from "../message/read-message.ts";
import type { RequestId } from "../message/request-id.ts";
import { unreadReplyId } from "../message/unread-reply-id.ts";
import { unreadRequestId } from "../message/unread-request-id.ts";
import { MARK } from "../transports/marked-text.ts";
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

type NoText = Extract<Incoming, { kind: "malformed" }>;
type Unread = Extract<Arrival, { kind: "malformed" }>;

export interface Reading {
  readonly transport: Transport;
  readonly dialect: RpcDialect;
  readonly limits: JsonLimits;
}

/** Reads one arrival. Never throws: a stranger's bytes are an outcome, not a fault. */
export function readIncoming(incoming: Incoming, reading: Reading): Arrival {
  if (incoming.kind === "malformed") return readMarked(incoming, reading);
  const { ids } = reading.dialect;
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

/** What is no text is read as far as it is one, to tell whoever waits for it. */
function readMarked({ reason, marked = "" }: NoText, reading: Reading): Unread {
  const { ids } = reading.dialect;
  const found = malformed("notText", reason, reading);
  try {
    return meantAs(found, readMessage(marked, { ids, limits: reading.limits }));
  } catch {
    const replyId = unreadReplyId(marked);
    if (replyId !== undefined) return { ...meantBy(found, "reply"), replyId };
    return askedBy(found, unreadRequestId(marked, ids));
  }
}

function meantAs(found: Unread, message: RpcMessage): Unread {
  const unread = meantBy(found, message.kind);
  if (message.kind === "notification") return unread;
  const { kind, id } = message;
  if (kind === "reply") return typeof id === "number" ? { ...unread, replyId: id } : unread;
  return askedBy(unread, String(id).includes(MARK) ? undefined : id);
}

function meantBy(found: Unread, meant: RpcMessage["kind"]): Unread {
  return { ...found, problem: { ...found.problem, meant } };
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
