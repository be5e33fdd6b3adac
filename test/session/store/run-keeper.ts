import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { bundledProgram } from "../../support/bundled-program.ts";

/** Starts a process that keeps sessions, and settles once it has; it is ended with the test. */
type StartKeeper = (...args: string[]) => Promise<ChildProcess>;

/** For the tests of one file, which start the same program. */
export function keepers(): StartKeeper {
  const program = bundledProgram(path.join(import.meta.dirname, "keeper.ts"));
  return async (...args) => {
    const keeper = spawn(process.execPath, [program(), ...args], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void keeper.kill("SIGKILL"));
    await once(createInterface({ input: keeper.stdout }), "line");
    return keeper;
  };
}

/** Settles when it is over and collected. */
export async function kill(keeper: ChildProcess): Promise<void> {
  const ended = once(keeper, "exit");
  keeper.kill("SIGKILL");
  await ended;
}
