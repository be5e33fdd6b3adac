/** What a session is made of. Nothing here has a default that is a policy. */
import type { SandboxIntent } from "../exec/index.ts";
import type { PathUri } from "../policy/index.ts";
import type { NetworkSupport } from "./network-leases.ts";
import type { ProvidedSandbox } from "./provider/provided-sandbox.ts";
import type { SandboxProvider } from "./provider/sandbox-provider.ts";
import { Refusal } from "./refusal.ts";
import { LONGEST_TIMER_MS, type SessionClock } from "./session-clock.ts";
import type { SessionListener } from "./session-event.ts";
import type { SessionReference } from "./session-reference.ts";
import type { SkillShelf } from "./skills/skill-shelf.ts";
import type { SnapshotSource } from "./snapshots/snapshot-source.ts";

export interface SessionOptions {
  readonly provider: SandboxProvider;
  /** Whose sandbox it is. */
  readonly thread: string;
  readonly workspace: PathUri;
  /** What the first turn may do. */
  readonly intent: SandboxIntent;
  /** What the thread remembers from earlier turns. */
  readonly remembered: RememberedSession | null | undefined;
  /** Of the last sandbox of the thread, where what is remembered does not say it; 0 when absent. */
  readonly generation?: number;
  /**
   * Told of each sandbox before anything is done in it, and of null when there
   * is none any more. Waited for; what it throws ends the acquisition, not the sandbox.
   */
  readonly onReference: (remembered: RememberedSession | null) => Promise<void>;
  /** Puts into a sandbox what it needs, once for each. */
  readonly prepare?: (sandbox: ProvidedSandbox, signal: AbortSignal) => Promise<void>;
  /** What a new sandbox starts from; where it is absent, from nothing. */
  readonly snapshots?: SnapshotSource | undefined;
  /** What its shelf is to hold, and what tools read of it while there is no sandbox. */
  readonly skills?: SkillShelf;
  readonly onEvent?: SessionListener;
  readonly clock?: SessionClock;
  /** Added to the sandbox's time by each call, and while work runs; 0 is never. */
  readonly keepaliveMs?: number;
  /** Ends the sandbox after so long without work; 0 is never. */
  readonly idleMs?: number;
  /** How rules for domains are kept, where the provider has a way. */
  readonly network?: NetworkSupport;
}

/** A reference with what its sandbox was made under: that is what a later turn is held against. */
export interface RememberedSession {
  readonly reference: SessionReference;
  /** Null where nobody kept it; then only the same policy will do. */
  readonly base: SandboxIntent | null;
}

/** A duration that somebody set; 0 where nobody did. Throws on anything that is no duration. */
export function readDuration(name: string, value: number | undefined): number {
  if (value === undefined) return 0;
  if (Number.isSafeInteger(value) && value >= 0 && value <= LONGEST_TIMER_MS) return value;
  throw new Refusal(
    "invalidInput",
    `Cannot use "${name}": it is ${String(value)}, expected a whole number of milliseconds from 0 to ${LONGEST_TIMER_MS}`,
  );
}
