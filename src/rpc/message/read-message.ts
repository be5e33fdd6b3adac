/**
 * Tells the four kinds of message apart by their members.
 *
 * The order is the one servers of this family use: a request has `id` and
 * `method`, a notification only `method`, then answers. Anything else throws;
 * nothing malformed comes out of here as a message.
 */
import type { JsonLimits } from "../json/json-limits.ts";
import { readJson } from "../json/read-json.ts";
import type { WireError } from "../rpc-error.ts";
import { type IdKind, isRequestId, type RequestId } from "./request-id.ts";

/** A message whose envelope is sound. The `params` of one that was read are still a stranger's. */
export type RpcMessage =
  | {
      readonly kind: "request";
      readonly id: RequestId;
      readonly method: string;
      readonly params: unknown;
    }
  | { readonly kind: "notification"; readonly method: string; readonly params: unknown }
  /** `id` is null in an error about a message whose id could not be read. */
  | { readonly kind: "reply"; readonly id: RequestId | null; readonly outcome: ReplyOutcome };

export type ReplyOutcome =
  | { readonly kind: "result"; readonly value: unknown }
  | { readonly kind: "error"; readonly error: WireError };

/** A text that is JSON but not a message. */
class MessageError extends Error {
  override readonly name = "MessageError";
}

export interface ReadMessageOptions {
  readonly ids: readonly IdKind[];
  readonly limits: JsonLimits;
}

/** Reads one message, or throws {@link MessageError} or `JsonError`. */
export function readMessage(text: string, { ids, limits }: ReadMessageOptions): RpcMessage {
  const value = readJson(text, limits);
  if (!isObject(value)) throw new MessageError("the message is not an object");
  if ("method" in value) return readCall(value, ids);
  return readReply(value, ids);
}

type Members = Readonly<Record<string, unknown>>;

function readCall(value: Members, ids: readonly IdKind[]): RpcMessage {
  const { id, method, params } = value;
  if (typeof method !== "string") throw new MessageError("`method` is not a string");
  if (!("id" in value)) return { kind: "notification", method, params };
  if (!isRequestId(id, ids)) throw new MessageError(badId(ids));
  return { kind: "request", id, method, params };
}

function readReply(value: Members, ids: readonly IdKind[]): RpcMessage {
  const { id } = value;
  const outcome = readOutcome(value);
  // Two peers that both answer malformed messages would answer each other for
  // ever if an unaddressed error were itself malformed.
  if (id === null && outcome.kind === "error") return { kind: "reply", id, outcome };
  if (!isRequestId(id, ids)) throw new MessageError(badId(ids));
  return { kind: "reply", id, outcome };
}

function readOutcome(value: Members): ReplyOutcome {
  if ("result" in value) {
    // Nobody could tell which of the two was meant; some who mean the first write null for the other.
    if ("error" in value && value.error !== null) {
      throw new MessageError("there is a `result` beside an `error`");
    }
    return { kind: "result", value: value.result };
  }
  if (!("error" in value)) throw new MessageError("there is no `method`, `result` or `error`");
  const { error } = value;
  if (!isObject(error)) throw new MessageError("`error` is not an object");
  const { code, message, data } = error;
  if (!Number.isSafeInteger(code) || typeof message !== "string") {
    throw new MessageError("`error` has no integer `code` and string `message`");
  }
  const told = { code: Number(code), message };
  return { kind: "error", error: data === undefined ? told : { ...told, data } };
}

function badId(ids: readonly IdKind[]): string {
  return `\`id\` is not ${ids.map((kind) => ID_KINDS[kind]).join(" or ")}`;
}

const ID_KINDS: Readonly<Record<IdKind, string>> = {
  string: "a string",
  integer: "an integer below 2^53",
};

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
