import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import fs from "node:fs";
import type { Readable, Writable } from "node:stream";
import { RealPaths } from "../files/open-real.ts";
import type { LaunchPlan } from "../launch-plan.ts";
import { createGate, type Gate } from "./gate.ts";

/** The first three descriptors of the command: streams of ours, those of this process, or a terminal. */
export type Standard = readonly ("inherit" | "pipe" | number)[];

export interface Launched {
  readonly child: ChildProcess;
  /** What the back-end reports; nothing where there is no back-end. */
  readonly status: Readable | undefined;
  readonly gate: Gate | undefined;
}

/** Starts a plan. Decides nothing; if it needs an `if` about policy, the planner is missing one. */
export function launch(plan: LaunchPlan, standard: Standard): Launched {
  const [program = plan.argv[0], ...args] = [...plan.prefix, ...plan.argv];
  const paths = new RealPaths();
  const nothing = fs.openSync("/dev/null", "r+");
  const gate = plan.descriptors.some(({ kind }) => kind === "gate") ? createGate() : undefined;
  try {
    const own = [...standard, ...descriptorsOf(plan, paths, gate)];
    const child = spawn(program, args, {
      cwd: plan.cwd,
      env: plan.env,
      stdio: [...own, ...shadows(own.length, nothing)] as StdioOptions,
    });
    sendBytes(plan, child);
    return { child, status: statusOf(plan, child), gate };
  } catch (error) {
    gate?.close();
    throw error;
  } finally {
    fs.closeSync(nothing);
    paths.close();
  }
}

function descriptorsOf({ descriptors }: LaunchPlan, paths: RealPaths, gate: Gate | undefined) {
  return descriptors.map((one) => {
    if (one.kind === "path") return paths.open(one.path);
    return one.kind === "gate" ? gate?.fd : "pipe";
  });
}

function sendBytes({ descriptors }: LaunchPlan, child: ChildProcess): void {
  descriptors.forEach((one, index) => {
    if (one.kind !== "bytes") return;
    const input = child.stdio[FIRST_DESCRIPTOR + index] as Writable | null;
    // A back-end that fails early closes it; that is told by the status, not here.
    input?.on("error", () => {});
    input?.end(one.bytes);
  });
}

function statusOf({ descriptors }: LaunchPlan, child: ChildProcess): Readable | undefined {
  const index = descriptors.findIndex(({ kind }) => kind === "status");
  const stream = index === -1 ? undefined : child.stdio[FIRST_DESCRIPTOR + index];
  return (stream ?? undefined) as Readable | undefined;
}

const FIRST_DESCRIPTOR = 3;

/** Descriptors this process was started with would reach the command; each is replaced by nothing. */
function shadows(from: number, nothing: number): (number | "ignore")[] {
  const inherited = fs.readdirSync("/proc/self/fdinfo").map(Number).filter(isInherited);
  const length = Math.max(0, Math.max(-1, ...inherited) + 1 - from);
  // "ignore" leaves a descriptor as it is, which is right for those that close by themselves.
  return Array.from({ length }, (_, index) =>
    inherited.includes(from + index) ? nothing : "ignore",
  );
}

/** Without the close-on-exec flag; see proc(5). */
function isInherited(fd: number): boolean {
  try {
    const flags = /^flags:\s*(\d+)/m.exec(fs.readFileSync(`/proc/self/fdinfo/${fd}`, "utf8"))?.[1];
    return (Number.parseInt(flags ?? "0", 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    return false; // The one that listed the folder is already closed.
  }
}

const CLOSE_ON_EXEC = 0o2000000;
