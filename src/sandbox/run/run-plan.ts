/**
 * Runs a plan on the streams of this process and waits for its end.
 *
 * Files on the standard descriptors are relayed through pipes; a signal that
 * asks this process to end also ends the command. A command with a terminal
 * gets what is typed here as it is typed.
 */
import { once } from "node:events";
import type { Readable } from "node:stream";
import type { LaunchPlan } from "../launch-plan.ts";
import type { RunOutcome } from "./run.ts";
import { type RunningSandbox, type StartOptions, startPlan } from "./start-plan.ts";

export type RunOptions = Pick<StartOptions, "records" | "observe">;

/** Starts the plan and waits for its end. Nothing it made is left when this settles. */
export async function runPlan(plan: LaunchPlan, options: RunOptions): Promise<RunOutcome> {
  const size = terminalSize();
  const running = startPlan(plan, { ...options, streams: "own", ...(size && { size }) });
  const stopRelay = relay(running, plan);
  const asked = (signal: string) => running.end(`${signal} asked for it`);
  for (const signal of SIGNALS) process.once(signal, asked);
  try {
    const outcome = await running.outcome;
    await Promise.all([running.stdout, running.stderr].map(drained));
    return outcome;
  } finally {
    stopRelay();
    for (const signal of SIGNALS) process.off(signal, asked);
  }
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

function terminalSize() {
  const { columns, rows } = process.stdout;
  return columns > 0 && rows > 0 ? { columns, rows } : undefined;
}

/** Where a pipe stands for a file, what goes through it ends up in the file. */
function relay(running: RunningSandbox, { terminal }: LaunchPlan): () => void {
  const { stdin, stdout, stderr } = running;
  const typed = terminal === "pty" && process.stdin.isTTY;
  if (typed) process.stdin.setRawMode(true);
  if (stdin !== null) process.stdin.pipe(stdin);
  stdout?.pipe(process.stdout);
  stderr?.pipe(process.stderr);
  const resized = () => running.resize(terminalSize() ?? { columns: 80, rows: 24 });
  if (terminal === "pty") process.on("SIGWINCH", resized);
  return () => {
    process.off("SIGWINCH", resized);
    if (typed) process.stdin.setRawMode(false);
    if (stdin !== null) process.stdin.unpipe(stdin);
    process.stdin.unref?.();
    process.stdin.pause();
  };
}

/** What was printed before the end is still on its way. */
async function drained(stream: Readable | null): Promise<void> {
  if (stream !== null && !stream.readableEnded && !stream.destroyed) await once(stream, "end");
}
