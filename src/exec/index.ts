/**
 * Running commands: the port, executors for this machine and for others, the
 * receipts they leave, and a server that enforces the intent it is given.
 */

export {
  makeFolder,
  PLATFORM_DEFAULTS,
  RECEIPT_ID,
  type SignalReach,
  smallestChange,
  type TerminalSize,
} from "../sandbox/index.ts";
export type {
  Anchor,
  AnchorOperations,
  AnchorRequest,
  IntentAnswer,
  IntentQuestion,
} from "./anchor-operations.ts";
export { anchorsFolder, prepareAnchorsFolder } from "./anchors/anchor-folder.ts";
export type { AnchorLayer } from "./anchors/anchor-layer.ts";
export type { AnchorPlace } from "./anchors/anchor-place.ts";
export { emptyFolder } from "./anchors/empty-folder.ts";
export { makeScratch, type Scratch } from "./anchors/make-scratch.ts";
export { type ScratchKind, scratchFolder } from "./anchors/scratch-folder.ts";
export type { ShelfChange, ShelvedFile } from "./anchors/shelf-change.ts";
export {
  type AuthFlag,
  type AuthFlags,
  type AuthSettings,
  readAuthFlags,
  type TokenClaims,
} from "./auth/auth-flags.ts";
export { type BearerAuth, createAuthorize, loadBearerAuth } from "./auth/bearer-auth.ts";
export { createExecutorId } from "./auth/executor-id.ts";
export type { SignedTokenAuth } from "./auth/fault-of-token.ts";
export { refuseOpenListener, refuseUnusedAuth } from "./auth/open-listener.ts";
export { createSigner, type Signer, type SignerOptions } from "./auth/signer.ts";
export { StartupError, type StartupErrorCode } from "./auth/startup-error.ts";
export { readTrustFlags, type TrustFlags, type TrustSettings } from "./auth/trust-flags.ts";
export { readTrustedKeys, type TrustedKeys } from "./auth/trusted-keys.ts";
export type { NonceUse, UsedNonces } from "./auth/used-nonces.ts";
export { CORE_VARIABLES } from "./core-variables.ts";
export { ExecError, type ExecErrorCode, type ExecErrorOptions } from "./exec-error.ts";
export type { ExecHost, HostBounds } from "./exec-host.ts";
export type { Executor, RunningProcess } from "./executor.ts";
export { FileError, type FileErrorCode } from "./files/file-error.ts";
export type {
  AtPath,
  FileMetadata,
  FileOperations,
  FolderEntry,
  OpenFile,
} from "./files/file-operations.ts";
export { MAX_ENTRIES } from "./files/max-entries.ts";
export type { ReadBound } from "./files/read-bound.ts";
export type { Walked, WalkOptions } from "./files/walked.ts";
export { type BoundIntent, bindIntent } from "./intent/bind-intent.ts";
export { type AskedPolicy, type PolicyBounds, policyWithin } from "./intent/policy-within.ts";
export { probePlaces } from "./intent/probe-places.ts";
export { realPathIfKnown } from "./intent/real-path-if-known.ts";
export type { Enforced, SandboxIntent, Waiver } from "./intent/sandbox-intent.ts";
export type { SignedIntent, WireRequest } from "./intent/signed-intent.ts";
export {
  createSignedIntentCheck,
  type SignedIntentCheck,
  type SignedIntentOptions,
} from "./intent/signed-intent-check.ts";
export { isProgram } from "./local/find-program.ts";
export { createLocalExecutor, type LocalExecutorOptions } from "./local/local-executor.ts";
export { isLeftUnread } from "./local/local-input.ts";
export {
  type LocalMachine,
  type LocalMachineOptions,
  openLocalMachine,
} from "./local/local-machine.ts";
export { makeHome } from "./make-home.ts";
export { type OverlaidHost, readOverlaidHost } from "./overlay/overlaid-host.ts";
export { ownPathsOf } from "./own-paths.ts";
export { PACKAGE_ROOT } from "./package-root.ts";
export { type PlannedStart, planStart } from "./plan-start.ts";
export type { OutputStream, ProcessEvent, ProcessExit, SandboxType } from "./process-event.ts";
export type { EnvironmentDescription } from "./protocol/environment-methods.ts";
export { execProtocol } from "./protocol/exec-protocol.ts";
export type { WritPromise } from "./protocol/session-methods.ts";
export { inStore } from "./receipts/in-store.ts";
export { inTransaction } from "./receipts/in-transaction.ts";
export { intentForReceipt } from "./receipts/intent-for-receipt.ts";
export { openStoreFile, type StoreFile, type StoreKind } from "./receipts/open-store-file.ts";
export { type ProcessState, processState, thisProcess } from "./receipts/process-state.ts";
export {
  openReceiptReader,
  type ReceiptQuery,
  type ReceiptReader,
} from "./receipts/receipt-reader.ts";
export {
  openReceiptStore,
  type ReceiptStart,
  type ReceiptStore,
} from "./receipts/receipt-store.ts";
export { ReceiptStoreError, type ReceiptStoreErrorCode } from "./receipts/receipt-store-error.ts";
export {
  type KnownPolicy,
  type ReceiptKeeper,
  type RunLook,
  type RunQuestion,
  RunReceipt,
} from "./receipts/run-receipt.ts";
export type { StoreBounds } from "./receipts/run-trimmer.ts";
export {
  type ConnectExecutorOptions,
  connectExecutor,
  type RemoteExecutor,
} from "./remote/connect-executor.ts";
export { type ExecutorAtOptions, executorAt, executorOver } from "./remote/executor-at.ts";
export type { Connect } from "./remote/link/open-session.ts";
export { RECOVERY_TIMES, type RecoveryTimes } from "./remote/link/session-link.ts";
export { openWayTo } from "./remote/open-way.ts";
export type { ServerTrust } from "./remote/server-trust.ts";
export { decodeBase64 } from "./server/decode-base64.ts";
export { describeEnvironment, type EnvironmentPlace } from "./server/describe-environment.ts";
export { createExecServer, type ExecServer, type ExecServerOptions } from "./server/exec-server.ts";
export type { Variables } from "./server/http/header-variable.ts";
export type { HttpAccess } from "./server/http/http-handlers.ts";
export { parseListenAddress, type ServerAddress } from "./server/listen-address.ts";
export type { SessionTimes } from "./server/sessions/exec-session.ts";
export type { InheritedVariables, StartRequest } from "./start-request.ts";
