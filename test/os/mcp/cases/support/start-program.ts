/** The programs of these tests, run from beside the built one as root or as an ordinary user. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import type { Place } from "../../../support/sandbox-user.ts";

const FOLDER = "test/os/mcp/cases/support";

/** Starts one of them, its standard error as our own. */
export function startProgram(
  place: Place,
  [file, ...args]: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
): ChildProcess {
  const node = path.join(place.installed, "node_modules/.bin/node");
  // Whoever it runs as is said before the program.
  const [program = "", ...rest] = [...place.argv([]).slice(0, -1), node];
  place.give();
  return spawn(program, [...rest, path.join(place.installed, FOLDER, file), ...args], {
    cwd: place.workspace,
    env: { ...place.env, ...env },
    stdio: ["pipe", "pipe", "inherit"],
  });
}

/** Closes its input and waits until it is over. */
export async function endProgram(program: ChildProcess): Promise<void> {
  if (program.exitCode !== null || program.signalCode !== null) return;
  const over = once(program, "exit");
  program.stdin?.end();
  await over;
}
