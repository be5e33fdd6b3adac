import type { ShelfChange } from "../../exec/index.ts";

/** A folder that is filled from outside, whatever the policy of commands. `WRIT_SHELF` names it to them. */
export interface ProvidedShelf {
  /** As the machine of the sandbox names it. */
  readonly path: string;
  stock(change: ShelfChange, signal: AbortSignal): Promise<void>;
}
