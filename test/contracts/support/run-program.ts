/** Runs a program of the checkout the way a shell would, and keeps what it printed. */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { ROOT } from "./repository.ts";

export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly input?: string;
}

export function runProgram(
  program: string,
  args: readonly string[],
  { cwd, env, input = "" }: RunOptions = {},
): Ran {
  const stdin = openInput(input);
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    ...(cwd === undefined ? {} : { cwd }),
    // Programs of ours keep their cache here; the home of whoever runs the tests stays clean.
    env: { ...process.env, WRIT_HOME: path.join(ROOT, ".cache/writ-home"), ...env },
    stdio: [stdin, "pipe", "pipe"],
    encoding: "utf8",
    timeout: 60_000,
  });
  closeSync(stdin);
  if (error) throw error;
  return { status, stdout, stderr };
}

/** A file and no pipe: a program need not read what it is given. */
function openInput(text: string): number {
  const folder = scratchFolder();
  const file = path.join(folder, "input");
  writeFileSync(file, text);
  const opened = openSync(file, "r");
  rmSync(folder, { recursive: true });
  return opened;
}

/** A new folder outside the checkout. */
export function scratchFolder(): string {
  return realpathSync(mkdtempSync(path.join(tmpdir(), "writ-contract-")));
}

/** Writes one shell script per entry into `folder`, which then can serve as a whole `PATH`. */
export function writePrograms(folder: string, scripts: Readonly<Record<string, string>>): string {
  mkdirSync(folder, { recursive: true });
  for (const [name, body] of Object.entries(scripts)) {
    writeFileSync(path.join(folder, name), `#!/bin/sh\n${body}\n`);
    chmodSync(path.join(folder, name), 0o755);
  }
  return folder;
}
