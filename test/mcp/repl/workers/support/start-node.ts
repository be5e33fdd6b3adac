import path from "node:path";
import { WorkerDriver, type WorkerOptions } from "./worker-driver.ts";

const SCRIPT = path.resolve(import.meta.dirname, "../../../../../workers/node.mjs");

/** A Node session that takes input. */
export function startNode(options: WorkerOptions = {}): Promise<WorkerDriver> {
  return WorkerDriver.start([process.execPath, SCRIPT], options);
}
