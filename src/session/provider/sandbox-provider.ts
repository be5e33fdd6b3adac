/**
 * The port to whoever makes sandboxes that outlive a command.
 *
 * A provider knows nothing of threads, tools or recovery. Each operation either
 * happens in exactly the sandbox it was asked of, or throws a {@link SessionError};
 * nothing is resumed, replaced or repeated behind the caller's back.
 */
import type { SandboxIntent } from "../../exec/index.ts";
import type { PathUri } from "../../policy/index.ts";
import type { ProvidedSandbox } from "./provided-sandbox.ts";
import type { SnapshotSupport } from "./snapshot-support.ts";

export interface SandboxProvider {
  /** For people and receipts: `local`. */
  readonly name: string;
  /** Whether what is in the workspace outlives a sandbox; where it does not, whoever gets another one is told so. */
  readonly keepsWorkspace: boolean;
  /** Makes one. What it returns has a name and no more; nothing is prepared in it yet. */
  create(request: CreateRequest): Promise<ProvidedSandbox>;
  /** Finds one that was made before. Throws `missing` where there is none and never will be. */
  get(id: string, request: GetRequest): Promise<ProvidedSandbox>;
  /** All that it knows of, also those of other threads. */
  list(): Promise<readonly SandboxSummary[]>;
  /** Nothing where its sandboxes start from nothing that was built before. */
  readonly snapshots?: SnapshotSupport | undefined;
}

export interface CreateRequest {
  /** Whose it is; nobody else may have it. */
  readonly thread: string;
  /** What every command in it is held to at most. */
  readonly intent: SandboxIntent;
  readonly workspace: PathUri;
  /** What it starts from. Throws `snapshotMissing` where that is gone, `unsupported` where there is no such thing. */
  readonly snapshot?: string | undefined;
  readonly signal: AbortSignal;
}

export interface GetRequest {
  readonly thread: string;
  readonly signal: AbortSignal;
}

export interface SandboxSummary {
  readonly id: string;
  readonly thread: string;
  readonly status: "running" | "stopped";
  readonly createdAt: number;
}
