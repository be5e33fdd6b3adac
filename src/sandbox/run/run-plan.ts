/**
 * Runs a plan from the first placeholder to the last: hold, start, watch, wait, let go.
 *
 * How the command ended comes from the back-end's status descriptor, never from
 * text: without its word the command did not run.
 */
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { launch } from "./launch.ts";
import type { LaunchPlan } from "./launch-plan.ts";
import { holdPlaceholders, sweepPlaceholders } from "./placeholders/hold-placeholders.ts";
import { isRunning } from "./placeholders/process-identity.ts";
import { safeStdio } from "./safe-stdio.ts";
import { identitiesOf, watchMountPoints } from "./watch-mount-points.ts";

export type RunOutcome =
  | { readonly kind: "exited"; readonly code: number }
  | { readonly kind: "killed"; readonly signal: string }
  /** The sandbox could not be built, so the command never ran. */
  | { readonly kind: "notStarted"; readonly reason: string }
  /** Ended from outside, because what protected the host was taken away. */
  | { readonly kind: "ended"; readonly reason: string };

export interface RunOptions {
  /** Where placeholders are on record; out of reach of every command. */
  readonly registry: string;
}

/** Starts the plan and waits for its end. Nothing it made is left when this settles. */
export async function runPlan(plan: LaunchPlan, options: RunOptions): Promise<RunOutcome> {
  if (plan.placeholders.length === 0) sweepPlaceholders(options.registry);
  const held = holdPlaceholders(plan.placeholders, options.registry);
  try {
    return await runHeld(plan);
  } finally {
    held.release();
  }
}

/** Watched before it starts: a watch that cannot be had must not find a sandbox already living. */
async function runHeld(plan: LaunchPlan): Promise<RunOutcome> {
  const stop = new AbortController();
  const watch = watchMountPoints(identitiesOf(plan.mountPoints), (point) =>
    stop.abort(`the mount point "${point}" was replaced on the host`),
  );
  const asked = () => stop.abort("a signal asked for it");
  for (const signal of SIGNALS) process.once(signal, asked);
  try {
    return await runWatched(plan, stop.signal);
  } finally {
    watch.close();
    for (const signal of SIGNALS) process.off(signal, asked);
  }
}

async function runWatched(plan: LaunchPlan, stop: AbortSignal): Promise<RunOutcome> {
  const { child, status } = launch(plan, safeStdio());
  stop.addEventListener("abort", () => child.kill("SIGKILL"));
  const report = status === undefined ? undefined : readReport(status);
  const ended = await ending(child);
  await gone(report?.pid());
  if (stop.aborted) return { kind: "ended", reason: String(stop.reason) };
  if (ended.kind !== "exited" || report === undefined) return ended;
  const code = exitCodeIn(await report.text);
  if (code !== undefined) return { kind: "exited", code };
  return { kind: "notStarted", reason: `${plan.argv[0]} failed before the command started` };
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The first process of the sandbox must be gone before what protects the host is taken away. */
async function gone(pid: number | undefined): Promise<void> {
  for (let attempt = 0; pid !== undefined && isRunning(pid) && attempt < 500; attempt += 1) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      return;
    }
    await sleep(2);
  }
}

function ending(child: ReturnType<typeof launch>["child"]): Promise<RunOutcome> {
  return new Promise((resolve) => {
    child.once("error", (error) => resolve({ kind: "notStarted", reason: error.message }));
    child.once("close", (code, signal) => {
      resolve(
        code === null ? { kind: "killed", signal: signal ?? "unknown" } : { kind: "exited", code },
      );
    });
  });
}

interface Report {
  readonly text: Promise<string>;
  /** The first process of the sandbox, as the host numbers it; known once it is reported. */
  pid(): number | undefined;
}

function readReport(stream: Readable): Report {
  let text = "";
  stream.on("data", (chunk) => {
    text += String(chunk);
  });
  const done = new Promise<string>((resolve) => {
    stream.once("close", () => resolve(text));
    stream.once("error", () => resolve(text));
  });
  return { text: done, pid: () => numberIn(text, /"child-pid":\s*(\d+)/) };
}

function numberIn(text: string, pattern: RegExp): number | undefined {
  const found = pattern.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}

/** bubblewrap writes one JSON document per event; the last says how the command ended. */
function exitCodeIn(report: string): number | undefined {
  return numberIn(report, /"exit-code":\s*(\d+)/);
}
