import path from "node:path";
import { WorkerDriver, type WorkerOptions } from "./worker-driver.ts";

const SCRIPT = path.resolve(import.meta.dirname, "../../../../../dist/workers/python/python.py");

/** A Python session that takes input. */
export function startPython(options: WorkerOptions = {}): Promise<WorkerDriver> {
  return WorkerDriver.start(["python3", SCRIPT], options);
}
