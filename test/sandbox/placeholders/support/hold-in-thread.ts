/** A thread that holds a placeholder as another one of its process does, and lets go of it. */
import { workerData } from "node:worker_threads";
import type { AbsolutePath } from "../../../../src/policy/index.ts";
import type { Placeholder } from "../../../../src/sandbox/launch-plan.ts";
import { holdPlaceholders } from "../../../../src/sandbox/placeholders/hold-placeholders.ts";

export interface Holding {
  readonly placeholder: Placeholder;
  readonly records: AbsolutePath;
}

const { placeholder, records }: Holding = workerData;
holdPlaceholders([placeholder], records).release();
