/**
 * What a process says that has as many files open as it may.
 *
 * A start opens some dozens of them. Where one fails for want of another, the
 * call that happened to fail says nothing that helps.
 */
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import fs from "node:fs";
import { SandboxError } from "../sandbox-error.ts";

/** The error for a person, where this is what lies behind `error`; nothing elsewhere. */
export function lackOfFiles(error: unknown): SandboxError | undefined {
  for (let one = error; one instanceof Error; one = one.cause) {
    const isWatch = "syscall" in one && one.syscall === "watch";
    if ("code" in one && CODES.includes(one.code)) return isWatch ? noWatch(error) : tooMany(error);
  }
  return undefined;
}

/**
 * As `spawn`, and throws where it would run out of descriptors half-way: Node then tells nobody who
 * could listen yet, which ends the process, and keeps for ever what it had opened by then.
 */
export function spawnWhole(
  program: string,
  args: readonly string[],
  options: SpawnOptions,
): ChildProcess {
  const stdio = [options.stdio].flat();
  // Two ends of each pipe, and of the one that tells whether the program was started.
  requireSpare(2 * stdio.filter((one) => one === "pipe").length + 2);
  const child = spawnUnder(stdio.length, () => spawn(program, args, options));
  if (Object.hasOwn(child, "stdio")) return child;
  child.once("error", () => {});
  throw tooMany();
}

/** A descriptor that this process was started with may have a number that no child can have. */
function spawnUnder(count: number, start: () => ChildProcess): ChildProcess {
  try {
    return start();
  } catch (cause) {
    throw count > mostFiles() ? tooMany(cause) : cause;
  }
}

/** As far as it is told; see proc_pid_limits(5). */
function mostFiles(): number {
  try {
    const limits = fs.readFileSync("/proc/self/limits", "utf8");
    return Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

function requireSpare(count: number): void {
  const opened: number[] = [];
  try {
    while (opened.length < count) opened.push(fs.openSync("/dev/null", "r"));
  } finally {
    for (const fd of opened) fs.closeSync(fd);
  }
}

const CODES: readonly unknown[] = ["EMFILE", "ENFILE"];

/** Commands of the same user take them as well, under any policy. */
function noWatch(cause: unknown): SandboxError {
  return new SandboxError(
    "backendFailed",
    "Cannot start the command: this user watches as many folders as the host allows, expected one to spare. End a program that watches folders, or raise fs.inotify.max_user_instances",
    { cause },
  );
}

function tooMany(cause?: unknown): SandboxError {
  return new SandboxError(
    "backendFailed",
    "Cannot start the command: too many files are open, expected some dozens to spare. Run fewer commands at a time, or raise the limit (ulimit -n)",
    { cause },
  );
}
