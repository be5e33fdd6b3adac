import { afterAll, onTestFailed } from "vitest";
import type { WorkerDriver, WorkerOptions } from "./worker-driver.ts";

/**
 * One worker for those tests of a file that leave nothing behind but names.
 *
 * To start an interpreter takes far longer than a cell. A test that fails takes
 * the worker along: in what state it is nobody knows, and the next test gets a new one.
 */
export function keepWorker(
  start: (options: WorkerOptions) => Promise<WorkerDriver>,
): () => Promise<WorkerDriver> {
  const ends: (() => void)[] = [];
  const endAll = () => {
    for (const end of ends.splice(0)) end();
  };
  let kept: Promise<WorkerDriver> | undefined;
  afterAll(endAll);
  return () => {
    onTestFailed(() => {
      kept = undefined;
      endAll();
    });
    kept ??= start({ atEnd: (end) => ends.push(end) });
    return kept;
  };
}
