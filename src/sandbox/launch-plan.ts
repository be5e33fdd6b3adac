/**
 * What will run, as data.
 *
 * A plan is made by a back-end's planner and started by `launch`, which decides
 * nothing. It can be printed, compared and tested without starting anything.
 */
import type { AbsolutePath, BoundProfile } from "../policy/index.ts";

/** One command under one bound profile. */
export interface LaunchRequest {
  readonly command: readonly [string, ...string[]];
  readonly cwd: AbsolutePath;
  readonly env: Readonly<Record<string, string>>;
  readonly profile: BoundProfile;
  readonly terminal: "none" | "pty";
}

/** A path that must exist on the host while the sandbox lives; what is missing is made and covered. */
export interface Placeholder {
  readonly path: AbsolutePath;
  readonly kind: "file" | "folder";
}

export interface LaunchPlan {
  /** How well the command is confined. `none` only where the policy waives the sandbox. */
  readonly tier: "namespaces" | "external" | "none";
  readonly argv: readonly [string, ...string[]];
  readonly cwd: AbsolutePath;
  readonly env: Readonly<Record<string, string>>;
  /** Bytes for the descriptors from 3 on, in order. */
  readonly inputs: readonly Uint8Array[];
  /** The descriptor on which the back-end reports how the command went; after the inputs. */
  readonly statusFd: number | undefined;
  readonly placeholders: readonly Placeholder[];
  /** What covers something: whoever replaces one of these on the host opens what is below. */
  readonly mountPoints: readonly AbsolutePath[];
}
