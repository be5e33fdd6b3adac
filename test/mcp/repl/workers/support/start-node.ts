import path from "node:path";
import { WorkerDriver, type WorkerOptions } from "./worker-driver.ts";

const SCRIPT = path.resolve(import.meta.dirname, "../../../../../dist/workers/node.cjs");

const PIPES = 'exec 5<<END 6<<END\nEND\nEND\nexec "$@"';

/** A Node session that takes input. */
export function startNode(options: WorkerOptions = {}): Promise<WorkerDriver> {
  return WorkerDriver.start([process.execPath, SCRIPT], options);
}

/** One that was given the pipes for what children print, and runs no program to make them. */
export function startPipedNode(): Promise<WorkerDriver> {
  const argv = ["/bin/sh", "-c", PIPES, "sh", process.execPath, SCRIPT];
  return WorkerDriver.start(argv, { env: { WRIT_REPL_PIPES: "5 6" } });
}
