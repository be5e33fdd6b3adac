/** The programs of these tests, run from beside the built one as root or as an ordinary user. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Place } from "../../../support/sandbox-user.ts";
import { type TestProgram, testProgram } from "../../../support/test-program.ts";

/** Starts one of them, its standard error as our own. */
export function startProgram(
  place: Place,
  [name, ...args]: readonly [TestProgram, ...string[]],
  env: Readonly<Record<string, string>>,
): ChildProcess {
  const words = testProgram(place.installed, name);
  // Whoever it runs as is said before the program.
  const [program = "", ...rest] = [...place.argv([]).slice(0, -1), ...words, ...args];
  place.give();
  return spawn(program, rest, {
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
