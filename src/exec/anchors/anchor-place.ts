import type { AbsolutePath } from "../../policy/index.ts";
import type { HeldNetwork } from "../../sandbox/index.ts";

/** What an anchor is on this machine. */
export interface AnchorPlace {
  readonly home: AbsolutePath;
  readonly tmp: AbsolutePath;
  /** What its owner put there, for commands to read. */
  readonly shelf: AbsolutePath;
  readonly network: HeldNetwork;
  /** Aborted when it is over. */
  readonly over: AbortSignal;
}
