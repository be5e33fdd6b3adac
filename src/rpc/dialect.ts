/**
 * How one server speaks JSON-RPC.
 *
 * Servers that call themselves JSON-RPC differ in what they write, in what they
 * answer to nonsense and in their sentences. Those differences are one value, so
 * that the peer has no opinion and no server's wording appears in it.
 */
import type { IssueWording } from "./issues/render-issues.ts";
import type { RpcMessage } from "./message/read-message.ts";
import type { IdKind, RequestId } from "./message/request-id.ts";
import type { RpcError } from "./rpc-error.ts";
import type { TransportKind } from "./transports/transport.ts";

/** A message that could not be read, and over which connection it came. */
export interface Malformed {
  /** `notText`: bytes that nobody can have meant as a message. */
  readonly kind: "notText" | "notJson" | "notMessage";
  readonly reason: string;
  readonly transport: TransportKind;
  readonly label: string;
  /** Who asked, where JSON that this side will not hold, or bytes that are no text, show it. */
  readonly requestId?: RequestId;
  /** What bytes that are no text would have been, where that shows. */
  readonly meant?: RpcMessage["kind"];
}

/** Params that a declared method does not take. */
export interface InvalidParams {
  readonly method: string;
  readonly problem: string;
  /** True when the message had no params, or `null`. */
  readonly absent: boolean;
}

/** A notification that asks the other side to stop a request. */
export interface CancelNotification {
  readonly method: string;
  readonly write: (id: RequestId) => unknown;
  readonly read: (params: unknown) => RequestId | undefined;
}

/** What to do with a message that is sound but has no receiver. */
export type Unexpected = "ignore" | "close";

export interface RpcDialect {
  /** Whether `"jsonrpc": "2.0"` is written. Reading accepts it, and its absence, always. */
  readonly writesVersion: boolean;
  readonly ids: readonly IdKind[];
  readonly wording: IssueWording;
  /** The error to answer a malformed message with, or `ignore`. */
  readonly malformed: (
    problem: Malformed,
  ) => { readonly id: RequestId | null; readonly error: RpcError } | Unexpected;
  readonly unknownMethod: (method: string, known: readonly string[]) => RpcError;
  readonly unknownNotification: Unexpected;
  /** A known notification with params it does not take. Its handler never runs. */
  readonly invalidNotification: Unexpected;
  /** An answer to something never asked. */
  readonly strayReply: Unexpected;
  readonly invalidParams: (problem: InvalidParams) => RpcError;
  /** For a request that may neither wait nor be left unread; a sentence of this layer when absent. */
  readonly overloaded?: () => RpcError;
  /** Members added to every notification this side sends, such as a time. */
  readonly stampNotification?: () => Readonly<Record<string, unknown>>;
  readonly cancel?: CancelNotification;
}
