/**
 * What a sandboxed `/bin/true` costs, against the bubblewrap call inside it and against peers.
 *
 * All are started in turn in one run. Codex and srt take part when the interop
 * tests have installed them; their lines are left out otherwise.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import {
  type LaunchPlan,
  recordsFolder,
  releaseLingering,
  startPlan,
} from "../src/sandbox/index.ts";
import { planTrue, timeBare, timeBareNatively } from "./bare-call.ts";
import { medianOf, readable } from "./measure.ts";
import { startCodex, startSrt } from "./peers.ts";

const ROUNDS = 41;
/** As a server that runs the commands of an agent. */
const LINGER_MS = 1000;
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

type Subjects = Readonly<Record<string, () => unknown>>;

async function compare(base: string): Promise<void> {
  const [workspace, home] = [path.join(base, "ws"), path.join(base, "home")];
  for (const folder of [workspace, home]) mkdirSync(folder);
  const plan = () => planTrue(workspace);
  const [codex, srt] = [startCodex(workspace, home), startSrt(workspace, home)];
  const bareCall = { "bare bubblewrap, same mounts": async () => timeBare(await plan()) };
  const once = await measured({
    ...bareCall,
    "library: plan and run": async () => library(await plan(), 0),
    "Node's start and the bare call": async () => timeNode() + timeBare(await plan()),
    "writ run": () => program(path.join(ROOT, "bin/writ"), writArgs(), workspace, home),
    ...(codex && { "codex sandbox": codex }),
    ...(srt && { srt }),
  });
  print("one command", once);
  const often = await measured({
    ...bareCall,
    "  started without a fork": async () => timeBareNatively(await plan()),
    "library: plan and run": async () => library(await plan(), LINGER_MS),
  });
  print("command after command", { ...often, "planning alone": await planningTimes(plan) });
  releaseLingering();
}

/** Every subject once a round, in turn. */
async function measured(subjects: Subjects): Promise<Record<string, number[]>> {
  const samples: Record<string, number[]> = {};
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, run] of Object.entries(subjects)) {
      const start = performance.now();
      const took = await run();
      samples[name] ??= [];
      samples[name].push(typeof took === "number" ? took : performance.now() - start);
    }
  }
  return samples;
}

async function library(plan: LaunchPlan, lingerMs: number): Promise<void> {
  const running = await startPlan(plan, { records: recordsFolder(), streams: "pipe", lingerMs });
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

/** What a program on Node takes before it does anything. */
function timeNode(): number {
  const begin = performance.now();
  spawnSync(process.execPath, ["-e", ""], { env: {}, stdio: "ignore" });
  return performance.now() - begin;
}

async function planningTimes(plan: () => Promise<LaunchPlan>): Promise<number[]> {
  const samples: number[] = [];
  for (let round = 0; round < 200; round += 1) {
    const start = performance.now();
    await plan();
    samples.push(performance.now() - start);
  }
  return samples;
}

function print(title: string, samples: Readonly<Record<string, readonly number[]>>): void {
  process.stdout.write(`${title}\n`);
  const first = medianOf(Object.values(samples)[0] ?? []);
  for (const [name, values] of Object.entries(samples)) {
    const median = medianOf(values);
    const ratio = (median / first).toFixed(2);
    process.stdout.write(
      `  ${name.padEnd(32)} ${readable(median * 1e6).padStart(10)} ${ratio.padStart(7)} ×\n`,
    );
  }
}
