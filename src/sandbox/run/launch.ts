import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import type { LaunchPlan } from "./launch-plan.ts";

export interface Launched {
  readonly child: ChildProcess;
  /** What the back-end reports; nothing where there is no back-end. */
  readonly status: Readable | undefined;
}

/** Starts a plan. Decides nothing; if it needs an `if` about policy, the planner is missing one. */
export function launch(plan: LaunchPlan, stdio: readonly ("inherit" | "pipe")[]): Launched {
  const [program, ...args] = plan.argv;
  const own = [
    ...stdio,
    ...plan.inputs.map(() => "pipe" as const),
    ...(plan.statusFd === undefined ? [] : ["pipe" as const]),
  ];
  const nothing = openSync("/dev/null", "r+");
  try {
    const child = spawn(program, args, {
      cwd: plan.cwd,
      env: plan.env,
      stdio: [...own, ...shadows(own.length, nothing)],
    });
    relay(child);
    plan.inputs.forEach((bytes, index) => {
      const input = child.stdio[3 + index] as Writable;
      // A back-end that fails early closes it; that is told by the status, not here.
      input.on("error", () => {});
      input.end(bytes);
    });
    const status = plan.statusFd === undefined ? undefined : child.stdio[plan.statusFd];
    return { child, status: (status ?? undefined) as Readable | undefined };
  } finally {
    closeSync(nothing);
  }
}

/** Where a pipe stands for a file, what goes through it ends up in the file. */
function relay({ stdin, stdout, stderr }: ChildProcess): void {
  for (const stream of [stdin, stdout, stderr]) stream?.on("error", () => {});
  if (stdin !== null) process.stdin.pipe(stdin);
  stdout?.pipe(process.stdout);
  stderr?.pipe(process.stderr);
}

/** Descriptors this process was started with would reach the command; each is replaced by nothing. */
function shadows(from: number, nothing: number): (number | "ignore")[] {
  const inherited = readdirSync("/proc/self/fdinfo").map(Number).filter(isInherited);
  const length = Math.max(0, Math.max(-1, ...inherited) + 1 - from);
  // "ignore" leaves a descriptor as it is, which is right for those that close by themselves.
  return Array.from({ length }, (_, index) =>
    inherited.includes(from + index) ? nothing : "ignore",
  );
}

/** Without the close-on-exec flag; see proc(5). */
function isInherited(fd: number): boolean {
  try {
    const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "utf8"))?.[1];
    return (Number.parseInt(flags ?? "0", 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    return false; // The one that listed the folder is already closed.
  }
}

const CLOSE_ON_EXEC = 0o2000000;
