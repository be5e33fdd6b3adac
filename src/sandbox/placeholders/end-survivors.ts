/**
 * Ends what outlived its run.
 *
 * A run that is killed takes its sandbox with it. Should one outlive it all the
 * same, what protects the host must not be taken away under it: it is ended first.
 */
import fs from "node:fs";
import path from "node:path";
import { SandboxError } from "../sandbox-error.ts";
import { identityIn, isRunning, livingPid, type ProcessIdentity } from "./process-identity.ts";
import { forgetRun, recordedProcess } from "./record-run.ts";
import { forgetLock } from "./with-lock.ts";

const PAUSE_MS = 2;
const ATTEMPTS = 1000;

/** What the launcher of a run finds in its environment, so that it can be found by it; no command sees it. */
export const RUN_VARIABLE = "WRIT_RUN";

/** Ends what dead runs left alive, before what they held is taken away. */
export function endSurvivors(folder: string): void {
  const isOver = asking();
  for (const name of fs.readdirSync(folder)) {
    forgetLock(path.join(folder, name));
    const run = /^run-(.+)$/.exec(name)?.[1];
    if (run === undefined || !isOver(identityIn(run))) continue;
    for (const pid of survivorsOf(run, recordedProcess(folder, run))) end(pid);
    forgetRun(folder, run);
  }
}

/** Each process is asked about once: one that starts many has a record for each. */
function asking(): (owner: ProcessIdentity) => boolean {
  const living = new Set<ProcessIdentity>();
  return (owner) => {
    if (!living.has(owner) && livingPid(owner) !== undefined) living.add(owner);
    return !living.has(owner);
  };
}

/** A run killed before it knew its first process may have left one that waits for good: it is looked for. */
function survivorsOf(run: string, first: ProcessIdentity): number[] {
  if (first === "") return processesOf(run);
  const pid = livingPid(first);
  return typeof pid === "number" ? [pid] : [];
}

/** Ends what a launcher has left that failed before it told of its first process. */
export function endProcessesOf(run: string): void {
  for (const pid of processesOf(run)) end(pid);
}

function processesOf(run: string): number[] {
  const pids = fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => {
    try {
      const variables = fs.readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
      return variables.includes(`${RUN_VARIABLE}=${run}`);
    } catch {
      return false;
    }
  });
}

function end(pid: number): void {
  for (let attempt = 0; isRunning(pid); attempt += 1) {
    if (attempt === ATTEMPTS) {
      throw new SandboxError("backendFailed", `Cannot end process ${pid} of an earlier run`);
    }
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      return;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
  }
}
