/**
 * What a sandboxed `/bin/true` costs, against the bubblewrap call inside it and against peers.
 *
 * All are started in turn in one run. Codex and srt take part when the interop
 * tests have installed them; their lines are left out otherwise.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { type LaunchPlan, recordsFolder, startPlan } from "../src/sandbox/index.ts";
import { bareArgs, makePlaceholders, planTrue } from "./bare-call.ts";
import { readable } from "./measure.ts";
import { startCodex, startSrt } from "./peers.ts";

const ROUNDS = 41;
const ROOT = path.resolve(import.meta.dirname, "..");

/** Prints medians and their ratio to the bare bubblewrap call. */
export async function sandboxBench(): Promise<void> {
  const base = mkdtempSync("/var/tmp/writ-bench-");
  try {
    await compare(base);
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

async function compare(base: string): Promise<void> {
  const [workspace, home] = [path.join(base, "ws"), path.join(base, "home")];
  for (const folder of [workspace, home]) mkdirSync(folder);
  const plan = () => planTrue(workspace);
  const [codex, srt] = [startCodex(workspace, home), startSrt(workspace, home)];
  const subjects: Record<string, () => unknown> = {
    "bare bubblewrap, same mounts": async () => bare(await plan(), workspace),
    "library: plan and run": async () => library(await plan()),
    "writ run": () => program(path.join(ROOT, "bin/writ"), writArgs(), workspace, home),
    ...(codex && { "codex sandbox": codex }),
    ...(srt && { srt }),
  };
  const samples = new Map<string, number[]>(Object.keys(subjects).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, run] of Object.entries(subjects)) {
      const start = performance.now();
      const took = await run();
      samples.get(name)?.push(typeof took === "number" ? took : performance.now() - start);
    }
  }
  print(samples, await planningTime(plan));
}

/** Only the start and end of the process count; its placeholders are made before. */
function bare(plan: LaunchPlan, workspace: string): number {
  const clean = makePlaceholders(plan);
  const args = bareArgs(plan);
  const start = performance.now();
  const { status } = spawnSync(plan.argv[0], args, { cwd: workspace, env: {}, stdio: "ignore" });
  const took = performance.now() - start;
  clean();
  if (status !== 0) throw new Error("Cannot compare: the bare call failed");
  return took;
}

async function library(plan: LaunchPlan): Promise<void> {
  const running = startPlan(plan, { records: recordsFolder(), streams: "pipe" });
  running.stdout?.resume();
  running.stderr?.resume();
  const outcome = await running.outcome;
  if (outcome.kind !== "exited") throw new Error(`Cannot compare: ${JSON.stringify(outcome)}`);
}

function program(file: string, args: readonly string[], cwd: string, home: string): void {
  const env = { PATH: process.env.PATH ?? "", HOME: home, WRIT_HOME: home, CODEX_HOME: home };
  const { status } = spawnSync(file, args, { cwd, env, stdio: "ignore" });
  if (status !== 0) throw new Error(`Cannot compare: "${file}" exited with ${status}`);
}

function writArgs(): string[] {
  return ["run", "--sandbox", "workspace-write", "--", "/bin/true"];
}

async function planningTime(plan: () => Promise<LaunchPlan>): Promise<number> {
  const samples: number[] = [];
  for (let round = 0; round < 200; round += 1) {
    const start = performance.now();
    await plan();
    samples.push(performance.now() - start);
  }
  return medianOf(samples);
}

function print(samples: ReadonlyMap<string, readonly number[]>, planning: number): void {
  const bareMedian = medianOf([...samples.values()][0] ?? []);
  for (const [name, values] of samples) {
    const median = medianOf(values);
    const ratio = (median / bareMedian).toFixed(2);
    process.stdout.write(
      `${name.padEnd(34)} ${readable(median * 1e6).padStart(10)} ${ratio.padStart(7)} ×\n`,
    );
  }
  process.stdout.write(`${"planning alone".padEnd(34)} ${readable(planning * 1e6).padStart(10)}\n`);
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
