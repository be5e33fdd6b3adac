/**
 * The highest process number of a pid namespace.
 *
 * The kernel shows everybody the one of their own namespace, whichever /proc they
 * look through, so it takes a process inside to set it. That process writes only
 * after it has seen that it is inside: elsewhere it would change the host.
 */
import { execFile } from "node:child_process";
import fs from "node:fs";
import { promisify } from "node:util";
import { SandboxError } from "../sandbox-error.ts";
import type { LimitPlan } from "./plan-limits.ts";

const run = promisify(execFile);
const TIMEOUT_MS = 5000;
const FILE = "/proc/sys/kernel/pid_max";
const SCRIPT = `
[ "$(readlink /proc/self/ns/pid)" = "$1" ] || { echo "outside the sandbox"; exit 1; }
echo "$2" > ${FILE} && cat ${FILE}`;

/** Sets it for the namespace of `pid`. Throws unless it holds. */
export async function setPidMax({ pidMax, programs }: LimitPlan, pid: number): Promise<void> {
  if (pidMax === undefined) return;
  const inside = fs.readlinkSync(`/proc/${pid}/ns/pid`);
  const reason =
    inside === fs.readlinkSync("/proc/self/ns/pid")
      ? "it has no pid namespace of its own"
      : await write(programs.nsenter ?? "", [String(pid), inside, String(pidMax)]);
  if (reason === undefined) return;
  throw new SandboxError("backendFailed", `Cannot set pid_max of process ${pid}: ${reason}`);
}

/** Why it did not work; nothing when it did. */
async function write(
  nsenter: string,
  [pid = "", inside = "", value = ""]: readonly string[],
): Promise<string | undefined> {
  const enter = ["--target", pid, "--user", "--pid", "--preserve-credentials"];
  const command = ["/bin/sh", "-c", SCRIPT, "sh", inside, value];
  try {
    const { stdout } = await run(nsenter, [...enter, "--", ...command], {
      timeout: TIMEOUT_MS,
      env: { PATH: "/usr/bin:/bin" },
    });
    const now = stdout.trim();
    return now === value ? undefined : `it is "${now}", expected ${value}`;
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause);
  }
}
