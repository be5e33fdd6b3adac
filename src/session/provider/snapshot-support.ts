/**
 * What a provider can do beside plain sandboxes: start one from what was built before.
 *
 * A provider builds and removes; which profile has which snapshot, who builds and
 * when one is too old is not its affair.
 */
import type { DependencyProfile } from "../snapshots/dependency-profile.ts";

export interface SnapshotSupport {
  /** What a snapshot depends on beside its profile: one text for one machine and its programs. */
  runtime(): string;
  /** Throws `unsupported` where the profile asks for what this provider cannot install. Asks nobody. */
  refuse(profile: DependencyProfile): void;
  /** Makes the snapshot `id`. What throws leaves nothing of it. */
  build(request: BuildRequest): Promise<BuiltSnapshot>;
  /** Removes what is left of one; settles also where there is nothing. */
  remove(id: string): Promise<void>;
}

export interface BuildRequest {
  readonly profile: DependencyProfile;
  /** Chosen by the caller, for providers that name their own: see {@link BuiltSnapshot}. */
  readonly id: string;
  readonly onStep: (step: BuildStep) => void;
  readonly signal: AbortSignal;
}

export interface BuildStep {
  /** From 1. */
  readonly number: number;
  readonly of: number;
  /** What runs: `npm install`, the program of a command. */
  readonly name: string;
}

export interface BuiltSnapshot {
  /** What `create` takes. */
  readonly id: string;
  /** Null where nobody counted. */
  readonly bytes: number | null;
}
