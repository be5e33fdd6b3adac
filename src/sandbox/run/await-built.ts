/** Waits until a sandbox is built as planned, and makes sure that it is. */
import fs from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { LaunchPlan } from "../launch-plan.ts";
import { findMisplaced } from "../linux/find-misplaced.ts";

const PAUSE_MS = 1;
const PATIENCE_MS = 20_000;

/** Says why the command may not run, or nothing when every mount is where it belongs. */
export async function awaitBuilt(
  { expectedMounts, descriptors }: LaunchPlan,
  pid: number,
  over: AbortSignal,
): Promise<string | undefined> {
  const gate = 3 + descriptors.findIndex(({ kind }) => kind === "gate");
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    // Asked first: what is misplaced although nothing more is coming stays misplaced.
    const ready = isWaiting(pid, gate);
    const misplaced = findMisplaced(expectedMounts, textOf(`/proc/${pid}/mountinfo`));
    if (misplaced === undefined || over.aborted) return undefined;
    if (ready) return `${misplaced}: a path changed while the sandbox was built`;
    if (performance.now() > end) return `it took more than ${PATIENCE_MS} ms to build`;
    await sleep(PAUSE_MS);
  }
}

/** The numbers of read(2). */
const READ = { x64: 0, arm64: 63 } as const;

/** True when the process is known to wait on that descriptor. */
function isWaiting(pid: number, fd: number): boolean {
  const read = process.arch === "arm64" ? READ.arm64 : READ.x64;
  return textOf(`/proc/${pid}/syscall`).startsWith(`${read} 0x${fd.toString(16)} `);
}

function textOf(file: string): string {
  try {
    return fs.readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
