/**
 * The `_meta` contract by which a thread's sandbox reaches MCP servers: the host
 * that sends it, the library that takes it, and confinement for servers that
 * know nothing of it.
 */
export type { ConfineMode, ConfineOptions } from "./confine/confine-options.ts";
export { createConfinedServer } from "./confine/create-confined-server.ts";
export { type ConfinedServer, serveConfined } from "./confine/serve-confined.ts";
export type { LinkOptions } from "./host/link.ts";
export {
  McpConnection,
  type ToolCall,
  type ToolCallOptions,
} from "./host/mcp-connection.ts";
export type { ServerAccess } from "./host/open-transport.ts";
export type {
  HttpServer,
  ServerConfig,
  ServerSandbox,
  ServerTimes,
  StdioServer,
} from "./host/server-config.ts";
export type { InheritingStart, ServerTransport } from "./host/start-inheriting.ts";
export { stripCallMeta } from "./host/strip-call-meta.ts";
export {
  type CallIds,
  type CallSandbox,
  type StateReader,
  writeCallMeta,
} from "./host/write-call-meta.ts";
export { McpError, type McpErrorCode } from "./mcp-error.ts";
export {
  createProcessTransport,
  type ProcessTransportOptions,
} from "./process/process-transport.ts";
export type { Bundle, WriteBytes } from "./repl/bundles/bundle.ts";
export type { BundleQuota } from "./repl/bundles/bundle-quota.ts";
export {
  type BundleLimits,
  Bundles,
  type BundlesOptions,
  DEFAULT_BUNDLE_LIMITS,
} from "./repl/bundles/bundles.ts";
export {
  findInterpreters,
  type InterpreterSearch,
  type Interpreters,
} from "./repl/languages/find-interpreters.ts";
export { LANGUAGES, type Language } from "./repl/languages/language.ts";
export { lackOf, startOf, workerParts } from "./repl/languages/start-of.ts";
export { type WorkerStart, workerStart } from "./repl/languages/worker-start.ts";
export type { BundleView } from "./repl/output/compact-reply.ts";
export type { ImageEvent, OutputEvent, OutputStream } from "./repl/output/output-event.ts";
export type {
  GapItem,
  ImageItem,
  LineItem,
  OutputItem,
  TextItem,
} from "./repl/output/output-item.ts";
export { DEFAULT_BUDGET, type ReplyBudget } from "./repl/output/reply-budget.ts";
export type { ReplyContent } from "./repl/output/reply-content.ts";
export {
  DEFAULT_RETAIN_BYTES,
  SessionOutput,
  type SessionOutputOptions,
} from "./repl/output/session-output.ts";
export { PagedOutput, type PagedOutputOptions } from "./repl/pager/paged-output.ts";
export { DEFAULT_PAGE_CHARS } from "./repl/pager/pager.ts";
export type { Speech } from "./repl/protocol/link.ts";
export type { ToolStyle } from "./repl/server/describe-tool.ts";
export {
  createReplServer,
  type ReplLog,
  type ReplServerOptions,
} from "./repl/server/repl-server.ts";
export type { ReplOutput } from "./repl/session/repl-output.ts";
export type { ReplFacts, ReplReply } from "./repl/session/repl-reply.ts";
export type { ReplRequest } from "./repl/session/repl-request.ts";
export { ReplSession, type ReplSessionOptions } from "./repl/session/repl-session.ts";
export { advertise, advertises } from "./state/advertise.ts";
export { type BoundState, bindState, type StateBounds } from "./state/bind-state.ts";
export { intentOfState, type NetworkBound } from "./state/intent-of-state.ts";
export { ownState } from "./state/own-state.ts";
export {
  type CallContext,
  readMetaState,
  readSandboxState,
  type StateReading,
  type StateRefusal,
} from "./state/read-sandbox-state.ts";
export { receiptMeta, receiptOfResult } from "./state/receipt-of-result.ts";
export { refusalResult } from "./state/refusal-result.ts";
export { RECEIPT_KEY, STATE_ALIAS, STATE_KEY, STATE_KEYS, TURN_KEY } from "./state/state-keys.ts";
export type { CallState } from "./state/symbolic-state.ts";
export { type StdioTransport, stdioTransport } from "./transport/stdio-transport.ts";
export { SandboxedWorker, type SandboxedWorkerOptions } from "./worker/sandboxed-worker.ts";
export {
  type StateHandling,
  stateHandling,
  type WorkerInput,
  type WorkerSituation,
} from "./worker/state-handling.ts";
export { type Applied, type Licence, WorkerCall, type WorkerChild } from "./worker/worker-call.ts";
export type { WorkerPolicy } from "./worker/worker-policy.ts";
export type { AttachListener, WorkerCommand, WorkerListener } from "./worker/worker-process.ts";
