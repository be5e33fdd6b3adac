/**
 * A program: builds a sandbox, holds it at its gate, puts limits on it, opens the gate, reports.
 *
 * Runs as whoever starts it. The request comes as JSON in the first argument, the
 * report goes to standard output as JSON. With `dieAtGate` it is killed there, as by an accident.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, openSync, readdirSync, writeSync } from "node:fs";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { applyLimits } from "../../../src/sandbox/limits/apply-limits.ts";
import { type LimitName, planLimits } from "../../../src/sandbox/limits/plan-limits.ts";
import { type LimitMeans, probeLimitMeans } from "../../../src/sandbox/limits/probe-limit-means.ts";
import { isRunning } from "../../../src/sandbox/placeholders/process-identity.ts";
import type { LimitedReport, LimitedRequest } from "./run-limited.ts";

const GATE_FD = 3;
const STATUS_FD = 4;
const LONGEST_MS = 20_000;

const request: LimitedRequest = JSON.parse(process.argv[2] ?? "");
const means: LimitMeans = { ...probeLimitMeans(), ...request.means };
const plan = planLimits(request.limits, { ...means, groups: request.groups ?? means.groups });
const gate = openSync("/dev/ptmx", constants.O_RDWR | constants.O_NOCTTY);
const child = spawn(
  "/usr/bin/bwrap",
  [
    ...["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-net", "--unshare-cgroup"],
    ...["--die-with-parent", "--new-session", "--cap-drop", "ALL"],
    ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
    ...["--ro-bind", "/proc/sys", "/proc/sys"],
    ...["--perms", "0000", "--tmpfs", "/proc/1", "--remount-ro", "/proc/1"],
    ...["--json-status-fd", String(STATUS_FD), "--block-fd", String(GATE_FD)],
    ...["--", ...request.command],
  ],
  { stdio: ["ignore", "pipe", "pipe", gate, "pipe"] },
);
const [, out, err, , status] = child.stdio;
if (!out || !err || !status || !("on" in status)) throw new Error("Cannot read the sandbox");
let words = "";
status.on("data", (chunk) => {
  words += String(chunk);
});
const output = Promise.all([text(out), text(err as typeof out), once(child, "close")]);
const pid = await firstProcess();
await built(pid);

try {
  const limits = await applyLimits(plan, pid);
  if (request.dieAtGate) process.kill(process.pid, "SIGKILL");
  let ended: LimitName | undefined;
  const kill = (limit?: LimitName) => {
    ended = limit;
    process.kill(pid, "SIGKILL");
  };
  const timer = setTimeout(kill, LONGEST_MS);
  const most = countProcesses(pid);
  limits.watch(kill);
  writeSync(gate, "\n");
  const [stdout, stderr] = await output;
  clearTimeout(timer);
  await gone(pid);
  await limits.close();
  report({ stdout, stderr, ended, exceeded: limits.exceeded(), most: most() });
} catch (error) {
  // At the gate the sandbox outlives bubblewrap, so that it is ended itself.
  if (isRunning(pid)) process.kill(pid, "SIGKILL");
  await output;
  report({ error: String(error), stdout: "", stderr: "", exceeded: [], most: 0 });
}
closeSync(gate);

function report(found: Omit<LimitedReport, "applied" | "left">): void {
  const groups = Object.values(means.groups).flatMap(({ parent }) => readdirSync(parent));
  const left = [
    ...groups.filter((name) => name.startsWith(`writ-${process.pid}-`)),
    ...(isRunning(pid) ? [`process ${pid}`] : []),
  ];
  process.stdout.write(JSON.stringify({ ...found, applied: plan.applied, left }));
}

async function firstProcess(): Promise<number> {
  for (;;) {
    const found = /"child-pid":\s*(\d+)/.exec(words)?.[1];
    if (found !== undefined) return Number(found);
    if (child.exitCode !== null) throw new Error(`Cannot build a sandbox: ${await output}`);
    await sleep(2);
  }
}

/** bubblewrap is over a moment before the first process of the sandbox is. */
async function gone(first: number): Promise<void> {
  for (let attempt = 0; isRunning(first) && attempt < 10_000; attempt += 1) await sleep(2);
}

/** The mounts are made once the sandbox has a /proc with its own first process. */
async function built(first: number): Promise<void> {
  const ready = () => {
    try {
      const numbers = readdirSync(`/proc/${first}/root/proc`).filter((name) => /^\d+$/.test(name));
      return numbers.join() === "1";
    } catch {
      return false;
    }
  };
  while (!ready()) await sleep(2);
}

/** The most processes seen at once, the first one not counted. */
function countProcesses(first: number): () => number {
  let most = 0;
  const timer = setInterval(() => {
    try {
      const names = readdirSync(`/proc/${first}/root/proc`).filter((name) => /^\d+$/.test(name));
      most = Math.max(most, names.length - 1);
    } catch {
      clearInterval(timer);
    }
  }, 5);
  return () => {
    clearInterval(timer);
    return most;
  };
}
