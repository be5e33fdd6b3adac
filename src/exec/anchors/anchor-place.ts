import type { AbsolutePath } from "../../policy/index.ts";
import type { HeldNetwork } from "../../sandbox/index.ts";
import type { SandboxIntent } from "../intent/sandbox-intent.ts";
import type { AnchorLayer } from "./anchor-layer.ts";

/** What an anchor is on this machine. */
export interface AnchorPlace {
  readonly home: AbsolutePath;
  readonly tmp: AbsolutePath;
  readonly layer?: AnchorLayer | undefined;
  /** What its owner put there, for commands to read. */
  readonly shelf: AbsolutePath;
  readonly network: HeldNetwork;
  /** What all that is done in it may open at most; nothing where its owner did not say. */
  readonly base?: SandboxIntent | undefined;
  /** Aborted when it is over. */
  readonly over: AbortSignal;
}
