/**
 * Sandboxes that outlive a command: one for a thread, booted by the first tool
 * that needs it, reused, and replaced when it dies.
 */
export type { BackgroundProcess } from "./commands/background-processes.ts";
export type { CommandResult } from "./commands/command-result.ts";
export type { CommandSpec } from "./commands/run-command.ts";
export type { BackgroundCall, CommandCall } from "./commands/sandbox-commands.ts";
export type { ProcessCall, StartedProcess } from "./commands/start-process.ts";
export type { DomainRules, HeaderRule, NetworkGrant, NetworkPolicy } from "./effective-network.ts";
export { type KeptSessionOptions, KeptThreadSession } from "./kept-thread-session.ts";
export type { WorkCount, WorkKind } from "./lifecycle/live-work.ts";
export type { AcquireRequest } from "./lifecycle/sandbox-holder.ts";
export type { SessionState } from "./lifecycle/session-state.ts";
export type { NetworkPort, NetworkSupport } from "./network-leases.ts";
export { type Download, downloadFile } from "./provider/download-file.ts";
export {
  createLocalProvider,
  type LocalProvider,
  type LocalProviderOptions,
} from "./provider/local/create-local-provider.ts";
export type { Apart } from "./provider/local/ground.ts";
export { BuildError } from "./provider/local/snapshots/build-error.ts";
export type { DiskRoom } from "./provider/local/snapshots/disk-watch.ts";
export { LayerFolders } from "./provider/local/snapshots/layer-folders.ts";
export {
  type HeldLayer,
  type LocalSnapshotParts,
  LocalSnapshots,
} from "./provider/local/snapshots/local-snapshots.ts";
export type {
  CommandEnd,
  CommandOutput,
  CommandRequest,
  ProvidedCommand,
} from "./provider/provided-command.ts";
export type { ProcessRequest, ProvidedProcess } from "./provider/provided-process.ts";
export type {
  DirEntry,
  FileRequest,
  FilesChanged,
  FileToWrite,
  ProvidedSandbox,
} from "./provider/provided-sandbox.ts";
export type { ProvidedShelf, ShelfRequest } from "./provider/provided-shelf.ts";
export type {
  CreateRequest,
  GetRequest,
  SandboxProvider,
  SandboxSummary,
} from "./provider/sandbox-provider.ts";
export type {
  BuildRequest,
  BuildStep,
  BuiltSnapshot,
  SnapshotSupport,
} from "./provider/snapshot-support.ts";
export {
  createVercelProvider,
  type VercelProviderOptions,
} from "./provider/vercel/create-vercel-provider.ts";
export type { VercelAccount } from "./provider/vercel/vercel-account.ts";
export type { SandboxWorkspace, WorkspaceCommand, WorkspaceFile } from "./sandbox-workspace.ts";
export { type SessionClock, SYSTEM_CLOCK } from "./session-clock.ts";
export { SessionError, type SessionErrorCode, type SessionErrorOptions } from "./session-error.ts";
export type { SessionEvent, SessionListener } from "./session-event.ts";
export type { RememberedSession, SessionOptions } from "./session-options.ts";
export type { SessionReference } from "./session-reference.ts";
export { withShims } from "./shims/with-shims.ts";
export { catalogueText } from "./skills/catalogue-text.ts";
export { discoverSkill, discoverSkills } from "./skills/discover-skills.ts";
export { findSkill, type LoadedSkill, loadSkill } from "./skills/load-skill.ts";
export { onShelf } from "./skills/on-shelf.ts";
export type {
  Skill,
  SkillFile,
  SkillHead,
  SkillRoot,
} from "./skills/skill.ts";
export type { SkillProblem, SkillSet } from "./skills/skill-set.ts";
export { SkillShelf } from "./skills/skill-shelf.ts";
export {
  createSkillSource,
  type ListedSkills,
  type SkillPlaces,
  type SkillSource,
  type SkillSourceOptions,
} from "./skills/source/create-skill-source.ts";
export { SkillDigests } from "./skills/sync/skill-digests.ts";
export type { SyncReport } from "./skills/sync/sync-skills.ts";
export type { RebuildReason } from "./snapshots/choose-snapshot.ts";
export { DependencyProfile, parseDependencies } from "./snapshots/dependency-profile.ts";
export type { KeptSnapshot } from "./snapshots/kept-snapshot.ts";
export {
  type ResolvedSnapshot,
  type ResolveRequest,
  resolveSnapshot,
  type SnapshotPlace,
  type SnapshotProgress,
} from "./snapshots/resolve-snapshot.ts";
export {
  createSnapshotSource,
  type SnapshotSource,
  type SnapshotSourceParts,
} from "./snapshots/snapshot-source.ts";
export {
  type ListedSnapshot,
  openSnapshotReader,
  openSnapshotStore,
  type SnapshotStore,
} from "./snapshots/snapshot-store.ts";
export type { KeptSession } from "./store/kept-session.ts";
export { openSessionReader, type SessionReader } from "./store/session-reader.ts";
export {
  openSessionStore,
  type SessionMark,
  type SessionStore,
  type Swept,
} from "./store/session-store.ts";
export { SessionStoreError, type SessionStoreErrorCode } from "./store/session-store-error.ts";
export { sweepDead } from "./store/sweep-dead.ts";
export {
  type AcquiredSession,
  type FilesChange,
  type IntentOrder,
  ThreadSession,
} from "./thread-session.ts";
export { applyEdits, type Change, type Edit, type Edited } from "./tools/edits/apply-edits.ts";
export type { Artifact } from "./tools/sandbox-tool.ts";
export type { SandboxTools, ToolCall, ToolOutcome } from "./tools/sandbox-tools.ts";
