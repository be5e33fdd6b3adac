/**
 * The door of the rpc layer: declaring methods, describing them, and speaking
 * them over a transport. It knows no method of any server.
 */
export { afterAnswer } from "./after-answer.ts";
export type { CallOptions, Client, Handler, Handlers, IncomingCall } from "./declare/handlers.ts";
export {
  type Method,
  method,
  NoParams,
  type Notification,
  notification,
} from "./declare/method.ts";
export { type Declaration, declarationsOf, type MethodTree } from "./declare/method-tree.ts";
export { type Protocol, protocol } from "./declare/protocol.ts";
export type { JsonSchema } from "./describe/json-schema.ts";
export { protocolPage } from "./describe/protocol-page.ts";
export { protocolSchema } from "./describe/protocol-schema.ts";
export type {
  CancelNotification,
  InvalidParams,
  Malformed,
  RpcDialect,
  Unexpected,
} from "./dialect.ts";
export { type IssueWording, type Refusal, renderIssues } from "./issues/render-issues.ts";
export { clip, oneOf } from "./issues/unexpected.ts";
export { JsonError, type JsonErrorCode } from "./json/json-error.ts";
export { JSON_LIMITS, type JsonLimits } from "./json/json-limits.ts";
export { readJson } from "./json/read-json.ts";
export { wholeCharacters } from "./json/whole-characters.ts";
export { jsonRpc2 } from "./json-rpc-2.ts";
export { base64Text } from "./message/base64-text.ts";
export type { ReplyOutcome, RpcMessage } from "./message/read-message.ts";
export type { IdKind, RequestId } from "./message/request-id.ts";
export { clientOf } from "./peer/client-of.ts";
export { createPeer } from "./peer/create-peer.ts";
export type { IntakeLimits } from "./peer/intake.ts";
export type { Peer } from "./peer/peer.ts";
export { PEER_LIMITS, type PeerLimits, type PeerOptions } from "./peer/peer-options.ts";
export { type ControlLane, type Schedule, SEQUENTIAL } from "./peer/schedule.ts";
export { ReceivedRpcError } from "./received-rpc-error.ts";
export { type Admission, type Admit, createRouter, type Route, type Router } from "./router.ts";
export {
  RPC_CODES,
  type RpcCode,
  RpcError,
  type RpcErrorOptions,
  type WireError,
} from "./rpc-error.ts";
export { RpcFailure, type RpcFailureCode } from "./rpc-failure.ts";
export { type FaultLog, toWireError } from "./to-wire-error.ts";
export { LineSplitter } from "./transports/line-splitter.ts";
export { createLineTransport, type LineTransportOptions } from "./transports/line-transport.ts";
export { MARK } from "./transports/marked-text.ts";
export { createMemoryPair } from "./transports/memory-pair.ts";
export type {
  CloseReason,
  Incoming,
  Receiver,
  Transport,
  TransportKind,
} from "./transports/transport.ts";
export { TransportError, type TransportErrorCode } from "./transports/transport-error.ts";
export {
  type ConnectOptions,
  connectWebSocket,
} from "./transports/websocket/connect-web-socket.ts";
export type {
  Authorization,
  HttpGateOptions,
  HttpReply,
} from "./transports/websocket/http-gate.ts";
export {
  type ListenOptions,
  listenWebSocket,
  type WebSocketListener,
} from "./transports/websocket/listen-web-socket.ts";
export type { SocketFileFacts, SocketFiles } from "./transports/websocket/socket-files.ts";
export type { ListenAddress, WebSocketAddress } from "./transports/websocket/web-socket-address.ts";
export type { WebSocketOptions } from "./transports/websocket/web-socket-options.ts";
