/**
 * What will run, as data.
 *
 * A plan is made by a back-end's planner and started by `startPlan`, which
 * decides nothing. It can be printed, compared and tested without starting
 * anything.
 */
import type { AbsolutePath, BoundProfile } from "../policy/index.ts";
import type { HeldNetwork } from "./anchor/held-network.ts";
import type { FoundByGlobs } from "./files/globs/glob-cache.ts";
import type { LimitPlan } from "./limits/plan-limits.ts";
import type { HeldOverlay } from "./overlay/overlay.ts";
import type { SeenPath } from "./rules/refuse-turned.ts";

/** One command under one bound profile. */
export interface LaunchRequest {
  readonly command: readonly [string, ...string[]];
  readonly cwd: AbsolutePath;
  readonly env: Readonly<Record<string, string>>;
  readonly profile: BoundProfile;
  readonly terminal: "none" | "pty";
  /** What the command finds on the descriptors from 3 on; nothing more than that is handed on. */
  readonly inputs?: readonly Uint8Array[];
  /** What was allowed by where it led; a plan that would find it elsewhere is refused. */
  readonly seen?: readonly SeenPath[];
  /** What it may open at most, wherever paths lead; a plan that would open more is refused. */
  readonly within?: BoundProfile;
  /** The network of a command that has none of the host's; one of its own where this is left out. */
  readonly joins?: HeldNetwork;
  /** What this process sees otherwise than the host: a sandbox that shows the host's instead is not entered. */
  readonly overlays?: readonly HeldOverlay[];
}

/** A path that must exist on the host while the sandbox lives; what is missing is made and covered. */
export interface Placeholder {
  readonly path: AbsolutePath;
  readonly kind: "file" | "folder";
}

/** What the back-end finds on a descriptor. */
export type Descriptor =
  /** A path of the host, opened without following a link, so that nobody can turn it elsewhere. */
  | { readonly kind: "path"; readonly path: AbsolutePath }
  /** For the command itself, to be read to its end. */
  | { readonly kind: "input"; readonly bytes: Uint8Array }
  /** More arguments for the back-end, sent at once: a command line can be read by everybody on the host. */
  | { readonly kind: "arguments"; readonly words: readonly string[] }
  /** What a spare's shell is to run, told when it is used; see {@link SparePlan}. */
  | { readonly kind: "order" }
  /** Where the back-end reports how the command went. */
  | { readonly kind: "status" }
  /** Closed by the back-end when everything is built: a sign to look, and nothing more. */
  | { readonly kind: "built" }
  /**
   * What it asks for last, with everything built, and without which it runs nothing: it gets these
   * bytes once the sandbox was found in order, and an end without them if writ dies before.
   */
  | { readonly kind: "gate"; readonly bytes: Uint8Array };

/** A mount that the built sandbox must show before the command may run. */
export interface ExpectedMount {
  readonly path: AbsolutePath;
  readonly readOnly: boolean;
  /** The file system that it must be of; any where this is left out. */
  readonly device?: string;
}

export interface LaunchPlan {
  /** How well the command is confined. `none` only where the policy waives the sandbox. */
  readonly tier: "namespaces" | "seatbelt" | "external" | "none";
  /** Programs that start the next one after a change to this process; most often none. */
  readonly prefix: readonly string[];
  readonly argv: readonly [string, ...string[]];
  readonly cwd: AbsolutePath;
  /** For the first program that is started, which need not be the command. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether the command gets a terminal of its own. */
  readonly terminal: LaunchRequest["terminal"];
  /** The descriptors from 3 on, in order. */
  readonly descriptors: readonly Descriptor[];
  readonly placeholders: readonly Placeholder[];
  /** Whoever replaces one of these on the host, or makes one that is missing, opens what is closed. */
  readonly watched: readonly AbsolutePath[];
  /** What comes and goes on the host: where one is gone before it is mounted on, another plan can do without it. */
  readonly fleeting: readonly AbsolutePath[];
  readonly expectedMounts: readonly ExpectedMount[];
  /** What patterns must still find before the command may run; left out where there are none. */
  readonly found?: FoundByGlobs;
  /** The network that the built sandbox must be in; any where this is left out. */
  readonly expectedNetwork?: HeldNetwork["identity"];
  /** Files that the launch itself had to show, beyond the policy. */
  readonly launchFiles: readonly AbsolutePath[];
  /** Ceilings on what the run may use up; nothing when there are none. */
  readonly limits: LimitPlan | undefined;
  /** Left out where nobody can build this sandbox before its command is known. */
  readonly spare?: SparePlan;
}

/** How a sandbox is built ahead of its command, and how it is told this one. */
interface SparePlan {
  /** The same sandbox around a shell that waits for its order. Commands with equal ones can use each other's. */
  readonly plan: LaunchPlan;
  /** The command of the plan this belongs to, as that shell reads it. */
  readonly order: string;
}
