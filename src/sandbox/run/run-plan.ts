/**
 * Runs a plan on the streams of this process and waits for its end.
 *
 * Files on the standard descriptors are relayed through pipes; a signal that
 * asks this process to end also ends the command.
 */
import type { AbsolutePath } from "../../policy/index.ts";
import type { LaunchPlan } from "../launch-plan.ts";
import { safeStdio } from "./safe-stdio.ts";
import { type RunningSandbox, type RunOutcome, startPlan } from "./start-plan.ts";

export interface RunOptions {
  readonly records: AbsolutePath;
}

/** Starts the plan and waits for its end. Nothing it made is left when this settles. */
export async function runPlan(plan: LaunchPlan, { records }: RunOptions): Promise<RunOutcome> {
  const running = startPlan(plan, { records, standard: safeStdio() });
  relay(running);
  const asked = (signal: string) => running.end(`${signal} asked for it`);
  for (const signal of SIGNALS) process.once(signal, asked);
  try {
    return await running.outcome;
  } finally {
    for (const signal of SIGNALS) process.off(signal, asked);
  }
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Where a pipe stands for a file, what goes through it ends up in the file. */
function relay({ stdin, stdout, stderr }: RunningSandbox): void {
  if (stdin !== null) process.stdin.pipe(stdin);
  stdout?.pipe(process.stdout);
  stderr?.pipe(process.stderr);
}
