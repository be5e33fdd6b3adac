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
  const text = JSON.stringify({ ...version, ...membersOf(message, dialect) });
  if (message.kind !== "reply" || message.outcome.kind !== "result") return text;
  return `${text.slice(0, -1)},"result":${resultText(message.outcome.value)}}`;
}

/** A handler that returns nothing answers `null`; what has no JSON form would leave no member at all. */
function resultText(value: unknown): string {
  const text: string | undefined = JSON.stringify(value ?? null);
  if (text !== undefined) return text;
  throw new Error(
    `Cannot write the result: the ${typeof value} has no JSON form, expected a value`,
  );
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
      return outcome.kind === "result" ? { id } : { error: outcome.error, id };
    }
  }
}

function withParams(params: unknown): object {
  return params === undefined ? {} : { params };
}
