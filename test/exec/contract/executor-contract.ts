/**
 * What holds for every executor, on this machine or on another.
 *
 * One table of behaviours. Where an executor of others is known to differ, the
 * difference is an option here and not a test left out in silence.
 */
import { describe } from "vitest";
import type { Executor } from "../../../src/exec/index.ts";
import { anchorBehaviours } from "./anchor-behaviours.ts";
import { anchoredFileBehaviours } from "./anchored-file-behaviours.ts";
import { fileBehaviours } from "./file-behaviours.ts";
import { inputBehaviours } from "./input-behaviours.ts";
import { processBehaviours } from "./process-behaviours.ts";
import { sandboxBehaviours } from "./sandbox-behaviours.ts";

/** What an executor of others does not have. */
export interface ContractOptions {
  readonly receipts: boolean;
  /** Whether a terminal can have another size than 80 by 24. */
  readonly sizes: boolean;
  /** Whether the input of a command can be ended. */
  readonly endsInput: boolean;
  /** Whether a trap in a sandbox sees an interrupt. */
  readonly trapsInSandbox: boolean;
  /** Whether a command can be interrupted alone, without its group. */
  readonly interruptsAlone: boolean;
  readonly anchors: boolean;
  /** Whether every operation on files can refuse links, and a file of any size can be read. */
  readonly allOfFiles: boolean;
}

/** Makes an executor for one test; it is closed by whoever made it. */
export type MakeExecutor = () => Promise<Executor>;

/** Runs the table against an executor. */
export function executorContract(name: string, make: MakeExecutor, options: ContractOptions): void {
  describe(name, () => {
    processBehaviours(make, options);
    inputBehaviours(make, options);
    sandboxBehaviours(make, options);
    fileBehaviours(make, options);
    anchorBehaviours(make, options);
    anchoredFileBehaviours(make, options);
  });
}
