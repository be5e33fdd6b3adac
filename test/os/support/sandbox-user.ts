/**
 * Runs the real `writ run` as root and as an ordinary user.
 *
 * When the tests themselves run as an ordinary user, that user is the only one.
 */
import { spawnSync } from "node:child_process";
import {
  chownSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
} from "node:fs";
import path from "node:path";
import { inject, onTestFinished } from "vitest";
import { installProgram } from "./installed-program.ts";
import { asUser, idOf, type SandboxUser, USERS } from "./users.ts";
import { warmHome } from "./warm-starts.ts";

/** Not below /tmp, which the default policy opens. */
const BASE = "/var/tmp";

export { type SandboxUser, USERS };

export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Place {
  readonly workspace: string;
  /** Beside the workspace, where no policy lets a command write. */
  readonly outside: string;
  run(args: readonly string[]): Ran;
  /** A shell script under `--sandbox workspace-write`, or under the flags given. */
  sh(script: string, flags?: readonly string[]): Ran;
  /** The command line, for tests that start it themselves. */
  argv(args: readonly string[]): string[];
  readonly env: Readonly<Record<string, string>>;
  /** Hands all that lies there to the user; `run` does it by itself. */
  give(): void;
  /** Where the program itself lies. */
  readonly installed: string;
}

type Finished = (end: () => void) => void;

/** A workspace owned by the user, for one test unless it is said when it ends. */
export function placeFor(
  user: SandboxUser,
  finished: Finished = onTestFinished,
  installed = inject("installedProgram"),
): Place {
  const base = mkdtempSync(path.join(BASE, "writ-place-"));
  finished(() => remove(base));
  const [workspace, outside, home] = ["ws", "outside", "home"].map((name) => path.join(base, name));
  if (!workspace || !outside || !home) throw new Error("Cannot lay out the test");
  for (const folder of [base, workspace, outside, home]) own(folder, user);
  const give = () => giveAll(base, user);
  const env = { PATH: "/usr/bin:/bin", HOME: home, WRIT_HOME: path.join(home, ".writ") };
  warmHome(env.WRIT_HOME, installed, user);
  give();
  const argv = (args: readonly string[]) => [
    ...asUser(user),
    path.join(installed, "bin/writ"),
    ...args,
  ];
  const run = (args: readonly string[]): Ran => {
    const [program = "", ...rest] = argv(args);
    give();
    return spawnSync(program, rest, { cwd: workspace, env, encoding: "utf8", timeout: 60_000 });
  };
  const sh = (script: string, flags: readonly string[] = ["--sandbox", "workspace-write"]) =>
    run(["run", ...flags, "--", "/bin/sh", "-c", script]);
  return { workspace, outside, run, sh, argv, env, give, installed };
}

/** The same with a program that no other test starts, for one that lets a command try to change it. */
export function placeWithProgram(user: SandboxUser): Place {
  const folder = mkdtempSync(path.join(BASE, "writ-os-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return placeFor(user, onTestFinished, installProgram(folder));
}

/** Also what a test or its command has closed. */
function remove(base: string): void {
  if (process.getuid?.() !== 0) spawnSync("chmod", ["-R", "u+rwX", base]);
  // Again where something that was told to end still writes to its home.
  rmSync(base, { recursive: true, force: true, maxRetries: 10 });
}

function own(folder: string, user: SandboxUser): void {
  mkdirSync(folder, { recursive: true });
  if (process.getuid?.() === 0) chownSync(folder, idOf(user), idOf(user));
}

/** What a test laid out belongs to the user it is for. */
function giveAll(folder: string, user: SandboxUser): void {
  if (process.getuid?.() === 0 && user !== "root") giveTree(folder, idOf(user));
}

/** In this process: to start a program for it takes longer. What is gone meanwhile was nobody's. */
function giveTree(at: string, id: number): void {
  try {
    lchownSync(at, id, id);
    if (!lstatSync(at).isDirectory()) return;
    for (const name of readdirSync(at)) giveTree(path.join(at, name), id);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code !== "ENOENT" && code !== "ENOTDIR") throw error;
  }
}
