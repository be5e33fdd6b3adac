/** How this host enforces: probe, plan, launch. */
export type { HeldNetwork } from "./anchor/held-network.ts";
export { type NetworkAnchor, startAnchor } from "./anchor/start-anchor.ts";
export { buildEnvironment, type EnvironmentPolicy } from "./environment.ts";
export type { FileFacts, FileKind } from "./files/file-facts.ts";
export type { FoundByGlobs, GlobMatch } from "./files/globs/glob-cache.ts";
export type { ResolvedPath } from "./files/resolve-path.ts";
export type {
  Descriptor,
  ExpectedMount,
  LaunchPlan,
  LaunchRequest,
  Placeholder,
} from "./launch-plan.ts";
export type { GroupSetting } from "./limits/control-group.ts";
export type { Controller, GroupPlace } from "./limits/own-groups.ts";
export type { LimitName, LimitPlan, PlannedLimit } from "./limits/plan-limits.ts";
export type { LimitMeans, Resource } from "./limits/probe-limit-means.ts";
export type { Sight } from "./linux/sight.ts";
export { makeFolder } from "./make-folder.ts";
export { nativeFolders } from "./native/find-native.ts";
export { NO_PROGRAM } from "./no-program.ts";
export { checkOverlays } from "./overlay/check-overlays.ts";
export { findOverlays } from "./overlay/find-overlays.ts";
export { mountPoints } from "./overlay/mount-points.ts";
export type { HeldOverlay, Overlay } from "./overlay/overlay.ts";
export {
  type OverlaidProcess,
  type OverlaidStart,
  startOverlaid,
} from "./overlay/start-overlaid.ts";
export { trustedPrograms } from "./overlay/trusted-programs.ts";
export { ownOnHost } from "./own-on-host.ts";
export { PACKAGE_ROOT } from "./package-root.ts";
export { recordApart, releaseLingering } from "./placeholders/hold-placeholders.ts";
export {
  identityIn,
  identityOf,
  isRunning,
  livingPid,
  type ProcessIdentity,
} from "./placeholders/process-identity.ts";
export { recordsFolder } from "./placeholders/records-folder.ts";
export { lackOf, planOnHost } from "./plan-on-host.ts";
export { backendVersion } from "./probe/backend-version.ts";
export { trustOnly } from "./probe/distrust-of.ts";
export {
  bestTier,
  type HostFacts,
  type Primitive,
  type PrimitiveLevel,
} from "./probe/primitive.ts";
export { probeHost } from "./probe/probe-host.ts";
export {
  type HostQuestion,
  PLATFORM_DEFAULTS,
  probeHostRoots,
  systemOf,
} from "./probe-host-roots.ts";
export {
  checkReceipt,
  createReceipt,
  NO_DENIALS,
  type ReceiptParts,
} from "./receipt/create-receipt.ts";
export type { Change, Denial, Denials } from "./receipt/denial.ts";
export { createDenialScan, type DenialScan } from "./receipt/denial-scan.ts";
export {
  type EnforcementSource,
  enforcementOf,
  enforcementOfLook,
} from "./receipt/enforcement-of.ts";
export { findLeftBehind, type LeftBehindQuestion } from "./receipt/find-left-behind.ts";
export type { JudgeBounds } from "./receipt/judge-mention.ts";
export { Receipt, ReceiptOutcome } from "./receipt/receipt.ts";
export { openReceiptFile, type ReceiptFile } from "./receipt/receipt-file.ts";
export { createReceiptId, RECEIPT_ID } from "./receipt/receipt-id.ts";
export { commandText, outcomeWord, renderReceipt } from "./receipt/render-receipt.ts";
export { type ChangeBounds, smallestChange } from "./receipt/smallest-change.ts";
export { visibleLine } from "./receipt/visible-line.ts";
export type { OwnPaths } from "./rules/own-paths.ts";
export { followPath, type SeenPath } from "./rules/refuse-turned.ts";
export { type FolderChange, type FolderWatch, watchFolder } from "./run/folder-watch.ts";
export { isStill } from "./run/identity-at.ts";
export type { RunOutcome } from "./run/run.ts";
export { type RunOptions, runPlan } from "./run/run-plan.ts";
export type { SignalReach } from "./run/signals/signal-target.ts";
export { type RunningSandbox, type StartOptions, startPlan } from "./run/start-plan.ts";
export type { TerminalSize } from "./run/streams/open-terminal.ts";
export type { OuterStreams, StreamOptions } from "./run/streams/outer-streams.ts";
export { lendOutput, ownedOf, type TakeLent } from "./run/streams/output-pipe.ts";
export { SandboxError, type SandboxErrorCode, type SandboxErrorOptions } from "./sandbox-error.ts";
export { endSpares, startNext } from "./spare/start-next.ts";
export { type FileView, viewOnHost } from "./view-on-host.ts";
export { isWithinOnHost } from "./within-on-host.ts";
