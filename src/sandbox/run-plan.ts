/**
 * Runs a plan from the first placeholder to the last: hold, start, watch, wait, let go.
 *
 * How the command ended comes from the back-end's status descriptor, never from
 * text: without its word the command did not run.
 */
import type { Readable } from "node:stream";
import { launch } from "./launch.ts";
import type { LaunchPlan } from "./launch-plan.ts";
import { holdPlaceholders, sweepPlaceholders } from "./placeholders/hold-placeholders.ts";
import { watchMountPoints } from "./watch-mount-points.ts";

export type RunOutcome =
  | { readonly kind: "exited"; readonly code: number }
  | { readonly kind: "killed"; readonly signal: string }
  /** The sandbox could not be built, so the command never ran. */
  | { readonly kind: "notStarted"; readonly reason: string }
  /** Ended from outside, because what protected the host was taken away. */
  | { readonly kind: "ended"; readonly reason: string };

export interface RunOptions {
  readonly stdio: "inherit" | "pipe";
  /** Where placeholders are on record; out of reach of every command. */
  readonly registry: string;
}

/** Starts the plan and waits for its end. Nothing it made is left when this settles. */
export async function runPlan(plan: LaunchPlan, options: RunOptions): Promise<RunOutcome> {
  if (plan.placeholders.length === 0) sweepPlaceholders(options.registry);
  const held = holdPlaceholders(plan.placeholders, options.registry);
  try {
    return await runHeld(plan, options);
  } finally {
    held.release();
  }
}

async function runHeld(plan: LaunchPlan, { stdio }: RunOptions): Promise<RunOutcome> {
  const { child, status } = launch(plan, stdio);
  const report = status === undefined ? undefined : readAll(status);
  let lost: string | undefined;
  const watch = watchMountPoints(plan.mountPoints, (point) => {
    lost = point;
    child.kill("SIGKILL");
  });
  try {
    const end = await ending(child);
    if (lost !== undefined) {
      return { kind: "ended", reason: `the mount point "${lost}" was replaced on the host` };
    }
    if (end.kind !== "exited" || report === undefined) return end;
    const code = exitCodeIn(await report);
    if (code !== undefined) return { kind: "exited", code };
    return { kind: "notStarted", reason: `${plan.argv[0]} failed before the command started` };
  } finally {
    watch.close();
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

async function readAll(stream: Readable): Promise<string> {
  let text = "";
  for await (const chunk of stream) text += String(chunk);
  return text;
}

/** bubblewrap writes one JSON document per event; the last says how the command ended. */
function exitCodeIn(report: string): number | undefined {
  const code = /"exit-code":\s*(\d+)/.exec(report)?.[1];
  return code === undefined ? undefined : Number(code);
}
