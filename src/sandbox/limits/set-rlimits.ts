/** Resource limits of a process that is already there, set by prlimit(1) and read back. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { SandboxError } from "../sandbox-error.ts";
import type { LimitPlan } from "./plan-limits.ts";
import { hardLimits } from "./probe-limit-means.ts";
import { readKernelText } from "./read-kernel-text.ts";

const run = promisify(execFile);
const TIMEOUT_MS = 5000;

/** Sets them for `pid`, which hands them on to all its children. Throws unless all of them hold. */
export async function setRlimits({ rlimits, programs }: LimitPlan, pid: number): Promise<void> {
  if (rlimits.length === 0) return;
  const flags = rlimits.map(({ resource, value }) => `--${resource}=${value}:${value}`);
  const { prlimit = "" } = programs;
  try {
    await run(prlimit, ["--pid", String(pid), ...flags], { timeout: TIMEOUT_MS, env: {} });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new SandboxError("backendFailed", `Cannot limit process ${pid}: ${reason}`, { cause });
  }
  const now = hardLimits(readKernelText(`/proc/${pid}/limits`) ?? "");
  const wrong = rlimits.find(({ resource, value }) => now[resource] !== value);
  if (wrong === undefined) return;
  throw new SandboxError(
    "backendFailed",
    `Cannot limit "${wrong.resource}": process ${pid} has ${now[wrong.resource]}, expected ${wrong.value}`,
  );
}
