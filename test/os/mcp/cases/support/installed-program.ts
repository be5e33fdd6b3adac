/** The programs of these tests, run from beside the built one as root or as an ordinary user. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Place } from "../../../support/sandbox-user.ts";

const PACKAGES = path.resolve(import.meta.dirname, "../../../../../node_modules");
const NEEDED = ["@modelcontextprotocol/client", "@modelcontextprotocol/server"];

/** Starts one of them, its standard error as our own. */
export function startProgram(
  place: Place,
  [file, ...args]: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
): ChildProcess {
  const folder = path.join(place.installed, "repl");
  cpSync(import.meta.dirname, folder, { recursive: true });
  for (const name of NEEDED) install(name, path.join(place.installed, "node_modules"));
  const node = path.join(place.installed, "node_modules/.bin/node");
  // Whoever it runs as is said before the program.
  const [program = "", ...rest] = [...place.argv([]).slice(0, -1), node];
  place.give();
  return spawn(program, [...rest, path.join(folder, file), ...args], {
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

/** Copies what a package needs, and what that needs; the built program itself has it in its bundle. */
function install(name: string, to: string): void {
  const { dependencies = {} }: { dependencies?: object } = JSON.parse(
    readFileSync(path.join(PACKAGES, name, "package.json"), "utf8"),
  );
  for (const other of Object.keys(dependencies)) {
    if (existsSync(path.join(to, other))) continue;
    cpSync(path.join(PACKAGES, other), path.join(to, other), { recursive: true });
    install(other, to);
  }
}
