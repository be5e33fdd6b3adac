import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import type { LaunchPlan } from "./launch-plan.ts";

export interface Launched {
  readonly child: ChildProcess;
  /** What the back-end reports; nothing where there is no back-end. */
  readonly status: Readable | undefined;
}

/** Starts a plan. Decides nothing; if it needs an `if` about policy, the planner is missing one. */
export function launch(plan: LaunchPlan, stdio: "inherit" | "pipe"): Launched {
  const [program, ...args] = plan.argv;
  const child = spawn(program, args, {
    cwd: plan.cwd,
    env: plan.env,
    stdio: [
      ...([stdio, stdio, stdio] as const),
      ...plan.inputs.map(() => "pipe" as const),
      ...(plan.statusFd === undefined ? [] : ["pipe" as const]),
      ...shadows(3 + plan.inputs.length + (plan.statusFd === undefined ? 0 : 1)),
    ],
  });
  plan.inputs.forEach((bytes, index) => {
    (child.stdio[3 + index] as Writable).end(bytes);
  });
  const status = plan.statusFd === undefined ? undefined : child.stdio[plan.statusFd];
  return { child, status: (status ?? undefined) as Readable | undefined };
}

/** Descriptors this process was started with would reach the command; each is replaced by nothing. */
function shadows(from: number): "ignore"[] {
  const open = readdirSync("/proc/self/fd").map(Number);
  return Array.from({ length: Math.max(0, Math.max(...open) + 1 - from) }, () => "ignore" as const);
}
