import { cp, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { NODE_FLAGS } from "../../../../../src/mcp/repl/languages/start-of.ts";
import { WorkerDriver, type WorkerOptions } from "./worker-driver.ts";

const WORKERS = path.resolve(import.meta.dirname, "../../../../../dist/workers");
const SCRIPT = path.join(WORKERS, "node.cjs");
const PATIENCE = "HEAR_MS = 30;";

const PIPES = 'exec 5<<END 6<<END\nEND\nEND\nexec "$@"';

/** A Node session that takes input. */
export function startNode(options: WorkerOptions = {}): Promise<WorkerDriver> {
  return WorkerDriver.start([process.execPath, ...NODE_FLAGS, SCRIPT], options);
}

/** One that was given the pipes for what children print, and runs no program to make them. */
export function startPipedNode(
  script = SCRIPT,
  flags: readonly string[] = [],
): Promise<WorkerDriver> {
  const node = [process.execPath, ...NODE_FLAGS, ...flags, script];
  const argv = ["/bin/sh", "-c", PIPES, "sh", ...node];
  return WorkerDriver.start(argv, { env: { WRIT_REPL_PIPES: "5 6" } });
}

/** A copy of the worker in a folder, whose interrupts leave no time to hear of them before they end something. */
export async function copyImpatient(folder: string): Promise<string> {
  await cp(WORKERS, folder, { recursive: true });
  const file = path.join(folder, "post.cjs");
  const text = await readFile(file, "utf8");
  if (!text.includes(PATIENCE)) throw new Error(`Cannot find "${PATIENCE}" in ${file}`);
  await writeFile(file, text.replace(PATIENCE, "HEAR_MS = 0;"));
  return path.join(folder, "node.cjs");
}
