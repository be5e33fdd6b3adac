/** A run that goes on while a test does something to it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";
import type { Place } from "../support/sandbox-user.ts";

export interface LiveRun {
  readonly child: ChildProcess;
  /** What writ and the command have printed so far. */
  readonly printed: { out: string; err: string };
  /** The exit status, or the signal that ended writ itself. */
  readonly ended: Promise<number | string | null>;
  /** The same without waiting for its streams, which a survivor would hold. */
  readonly exited: Promise<unknown>;
}

/** Starts a shell script under the default policy. Its process is writ itself. */
export function startRun(
  { argv, workspace, env, give }: Place,
  script: string,
  flags: readonly string[] = [],
): LiveRun {
  const policy = flags.includes("--profile") ? [] : ["--sandbox", "workspace-write"];
  const args = ["run", ...policy, ...flags, "--", "/bin/sh", "-c", script];
  const [program = "", ...rest] = argv(args);
  give();
  const child = spawn(program, rest, { cwd: workspace, env });
  onTestFinished(() => void child.kill("SIGKILL"));
  const printed = { out: "", err: "" };
  child.stdout.on("data", (chunk) => {
    printed.out += String(chunk);
  });
  child.stderr.on("data", (chunk) => {
    printed.err += String(chunk);
  });
  const ended = once(child, "close").then(([code, signal]) => code ?? signal);
  return { child, printed, ended, exited: once(child, "exit") };
}

/** Waits until the script has made a file in the workspace. */
export async function made({ workspace }: Place, name: string): Promise<void> {
  await until(() => existsSync(path.join(workspace, name)));
}

/** Waits for as long as the test may take. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(5);
}

export function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  return text.split(" ").filter(Boolean).map(Number);
}

/** The processes of the host whose command line names something of the place. */
export function processesIn({ workspace }: Place): number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(path.dirname(workspace));
    } catch {
      return false;
    }
  });
}
