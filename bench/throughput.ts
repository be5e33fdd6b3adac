/**
 * How many sandboxed commands a second, eight at a time, against the bare bubblewrap call.
 *
 * Rounds of both in turn; what counts is the ratio of their rates.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import {
  type LaunchPlan,
  recordsFolder,
  releaseLingering,
  startPlan,
} from "../src/sandbox/index.ts";
import { bareArgs, makePlaceholders, planTrue } from "./bare-call.ts";
import { medianOf } from "./measure.ts";

const [COMMANDS, AT_A_TIME, ROUNDS] = [200, 8, 7];

/** Prints the median rate of both and the ratio. */
export async function throughputBench(): Promise<void> {
  const workspace = mkdtempSync("/var/tmp/writ-bench-");
  try {
    const rates = { bare: [] as number[], library: [] as number[] };
    for (let round = 0; round < ROUNDS; round += 1) {
      rates.bare.push(await bareRate(await planTrue(workspace)));
      rates.library.push(await rateOf(() => libraryRun(workspace)));
      // They would go while the bare call needs them.
      releaseLingering();
    }
    const [bare, library] = [medianOf(rates.bare), medianOf(rates.library)];
    process.stdout.write(
      `${COMMANDS} commands, ${AT_A_TIME} at a time\n` +
        `  bare bubblewrap   ${bare.toFixed(1)} a second\n` +
        `  library           ${library.toFixed(1)} a second   ${((100 * library) / bare).toFixed(0)} %\n`,
    );
  } finally {
    rmSync(workspace, { recursive: true, force: true });
  }
}

async function bareRate(plan: LaunchPlan): Promise<number> {
  const clean = makePlaceholders(plan);
  const args = bareArgs(plan);
  try {
    return await rateOf(async () => {
      const child = spawn(plan.argv[0], args, { cwd: plan.cwd, env: {}, stdio: "ignore" });
      const [code] = await once(child, "exit");
      if (code !== 0) throw new Error("Cannot compare: the bare call failed");
    });
  } finally {
    clean();
  }
}

async function libraryRun(workspace: string): Promise<void> {
  const running = await startPlan(await planTrue(workspace), {
    records: recordsFolder(),
    streams: "pipe",
    lingerMs: 1000,
  });
  running.stdout?.resume();
  running.stderr?.resume();
  const outcome = await running.outcome;
  if (outcome.kind !== "exited" || outcome.code !== 0) {
    throw new Error(`Cannot compare: ${JSON.stringify(outcome)}`);
  }
}

async function rateOf(run: () => Promise<void>): Promise<number> {
  let left = COMMANDS;
  const start = performance.now();
  const lane = async () => {
    while (left-- > 0) await run();
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, lane));
  return (1000 * COMMANDS) / (performance.now() - start);
}
