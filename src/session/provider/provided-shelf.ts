import type { SandboxIntent, ShelfChange } from "../../exec/index.ts";

/** A folder that is filled from outside, whatever the policy of commands. `WRIT_SHELF` names it to them. */
export interface ProvidedShelf {
  /** As the machine of the sandbox names it. */
  readonly path: string;
  /** Whether commands cannot change it: only then what lies there is believed. */
  readonly isGuarded: boolean;
  stock(change: ShelfChange, under: ShelfRequest): Promise<void>;
}

/** Whoever fills it, by the policy of the sandbox where that has to be told. */
export interface ShelfRequest {
  readonly intent: SandboxIntent;
  readonly signal: AbortSignal;
}
