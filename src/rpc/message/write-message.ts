import type { RpcDialect } from "../dialect.ts";
import type { ReplyOutcome } from "./read-message.ts";
import type { RequestId } from "./request-id.ts";

/** A message as this program means it, before a dialect adds its members. */
export type OutgoingMessage =
  | {
      readonly kind: "request";
      readonly id: RequestId;
      readonly method: string;
      readonly params: unknown;
    }
  | { readonly kind: "notification"; readonly method: string; readonly params: unknown }
  | { readonly kind: "reply"; readonly id: RequestId | null; readonly outcome: ReplyOutcome };

/** Writes one message as the dialect spells it. */
export function writeMessage(message: OutgoingMessage, dialect: RpcDialect): string {
  const version = dialect.writesVersion ? { jsonrpc: "2.0" } : {};
  return JSON.stringify({ ...version, ...membersOf(message, dialect) });
}

function membersOf(message: OutgoingMessage, dialect: RpcDialect): object {
  switch (message.kind) {
    case "request": {
      const { id, method, params } = message;
      return { id, method, ...withParams(params) };
    }
    case "notification": {
      const { method, params } = message;
      return { method, ...withParams(params), ...dialect.stampNotification?.() };
    }
    case "reply": {
      const { id, outcome } = message;
      // `undefined` would drop the member and make the reply malformed.
      if (outcome.kind === "result") return { id, result: outcome.value ?? null };
      return { error: outcome.error, id };
    }
  }
}

function withParams(params: unknown): object {
  return params === undefined ? {} : { params };
}
