/**
 * Running commands: the port, executors for this machine and for others, the
 * receipts they leave, and a server that enforces the intent it is given.
 */

export {
  makeFolder,
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
export { emptyFolder } from "./anchors/empty-folder.ts";
export { makeScratch, type Scratch } from "./anchors/make-scratch.ts";
export { type ScratchKind, scratchFolder } from "./anchors/scratch-folder.ts";
export type { ShelfChange, ShelvedFile } from "./anchors/shelf-change.ts";
export { type AuthFlags, readAuthFlags } from "./auth/auth-flags.ts";
export { createAuthorize, loadBearerAuth } from "./auth/bearer-auth.ts";
export { createExecutorId } from "./auth/executor-id.ts";
export { refuseOpenListener, refuseUnusedAuth } from "./auth/open-listener.ts";
export { createSigner, type Signer } from "./auth/signer.ts";
export { StartupError } from "./auth/startup-error.ts";
export { readTrustFlags, type TrustSettings } from "./auth/trust-flags.ts";
export { readTrustedKeys } from "./auth/trusted-keys.ts";
export { CORE_VARIABLES } from "./core-variables.ts";
export { ExecError, type ExecErrorCode } from "./exec-error.ts";
export type { ExecHost, HostBounds } from "./exec-host.ts";
export type { Executor, RunningProcess } from "./executor.ts";
export { FileError, type FileErrorCode } from "./files/file-error.ts";
export type { FileOperations } from "./files/file-operations.ts";
export { MAX_ENTRIES } from "./files/max-entries.ts";
export { type BoundIntent, bindIntent } from "./intent/bind-intent.ts";
export { probePlaces } from "./intent/probe-places.ts";
export { realPathIfKnown } from "./intent/real-path-if-known.ts";
export type { SandboxIntent, Waiver } from "./intent/sandbox-intent.ts";
export { createSignedIntentCheck } from "./intent/signed-intent-check.ts";
export { isProgram } from "./local/find-program.ts";
export { createLocalExecutor } from "./local/local-executor.ts";
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
export type { ProcessEvent, ProcessExit } from "./process-event.ts";
export { execProtocol } from "./protocol/exec-protocol.ts";
export { inStore } from "./receipts/in-store.ts";
export { inTransaction } from "./receipts/in-transaction.ts";
export { intentForReceipt } from "./receipts/intent-for-receipt.ts";
export { openStoreFile, type StoreFile, type StoreKind } from "./receipts/open-store-file.ts";
export { processState, thisProcess } from "./receipts/process-state.ts";
export { openReceiptReader, type ReceiptReader } from "./receipts/receipt-reader.ts";
export {
  openReceiptStore,
  type ReceiptStart,
  type ReceiptStore,
} from "./receipts/receipt-store.ts";
export { ReceiptStoreError } from "./receipts/receipt-store-error.ts";
export {
  type KnownPolicy,
  type ReceiptKeeper,
  type RunLook,
  RunReceipt,
} from "./receipts/run-receipt.ts";
export {
  type ConnectExecutorOptions,
  connectExecutor,
  type RemoteExecutor,
} from "./remote/connect-executor.ts";
export { executorAt, executorOver } from "./remote/executor-at.ts";
export { openWayTo } from "./remote/open-way.ts";
export { decodeBase64 } from "./server/decode-base64.ts";
export { describeEnvironment } from "./server/describe-environment.ts";
export { createExecServer, type ExecServer } from "./server/exec-server.ts";
export { parseListenAddress, type ServerAddress } from "./server/listen-address.ts";
export type { InheritedVariables, StartRequest } from "./start-request.ts";
