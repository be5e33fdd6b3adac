/** Waits until a sandbox is built, and finds what of it is not as planned. */
import fs from "node:fs";
import { setTimeout as sleep, setImmediate as soon } from "node:timers/promises";
import type { LaunchPlan } from "../launch-plan.ts";
import { findMisplaced } from "../linux/find-misplaced.ts";
import { namespaceAt } from "../linux/namespace-at.ts";

const PAUSE_MS = 1;
/** It takes a few steps from the sign that all is built to the gate. */
const QUICK_LOOKS = 20;
const PATIENCE_MS = 20_000;
/** For so long the sign is waited for; without it the sandbox is looked at again and again. */
const SIGN_MS = 100;

export interface BuildSigns {
  /** Settles when the back-end says that all is built; it need not say so. */
  readonly built: Promise<void> | undefined;
  /** Aborted when it is over. */
  readonly over: AbortSignal;
}

/** In milliseconds. What measures finer takes a while to load, and this is needed at once. */
const now = () => process.uptime() * 1000;

/**
 * Says why it cannot be built, or nothing once it is. Whether it is built as planned is for its caller to
 * find with {@link faultOf}, as late as possible.
 */
export async function awaitBuilt(
  plan: LaunchPlan,
  pid: number,
  { built, over }: BuildSigns,
): Promise<string | undefined> {
  const gate = 3 + plan.descriptors.findIndex(({ kind }) => kind === "gate");
  const end = now() + PATIENCE_MS;
  await within(SIGN_MS, built);
  for (let looks = 1; !over.aborted; await pauseAfter(looks++)) {
    if (now() > end) return `it took more than ${PATIENCE_MS} ms to build`;
    const state = gateState(pid, gate);
    if (state === "waiting") return undefined;
    // Where the host does not say what a process waits for, what stands as planned is built.
    if (state === "unknown" && faultOf(plan, pid) === undefined) return undefined;
  }
  return undefined;
}

/** What is wrong with a sandbox that was built, by the pid of its first process; nothing where it is as planned. */
export function faultOf({ expectedMounts, expectedNetwork }: LaunchPlan, pid: number) {
  const misplaced = misplacedIn(expectedMounts, pid);
  if (misplaced !== undefined) return `${misplaced}: a path changed while the sandbox was built`;
  if (expectedNetwork === undefined) return undefined;
  const found = namespaceAt(`/proc/${pid}/ns/net`);
  return found === expectedNetwork ? undefined : "it is in another network than it was to join";
}

function within(ms: number, what: Promise<void> = Promise.resolve()): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    what.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

async function pauseAfter(looks: number): Promise<void> {
  await (looks < QUICK_LOOKS ? soon() : sleep(PAUSE_MS));
}

/** What is wrong with the mounts of a sandbox now, by the pid of its first process. */
export function misplacedIn(expected: LaunchPlan["expectedMounts"], pid: number) {
  return findMisplaced(expected, textOf(`/proc/${pid}/mountinfo`));
}

/** What the kernel says of the mounts of a process that has let go of its namespaces, or is gone. */
const WITHOUT_MOUNTS = new Set<unknown>(["EINVAL", "ENOENT", "ESRCH"]);

/** Whether the first process of a sandbox is on its way out. It has no mounts then, and everybody else in there is killed. */
export function isLeaving(pid: number): boolean {
  try {
    fs.closeSync(fs.openSync(`/proc/${pid}/mountinfo`, "r"));
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && WITHOUT_MOUNTS.has(error.code);
  }
}

/** The numbers of read(2). */
const READ = { x64: 0, arm64: 63 } as const;

/** Whether the process waits on that descriptor; not every host lets itself be asked. */
function gateState(pid: number, fd: number): "waiting" | "busy" | "unknown" {
  const read = process.arch === "arm64" ? READ.arm64 : READ.x64;
  const call = textOf(`/proc/${pid}/syscall`);
  if (call === "") return "unknown";
  return call.startsWith(`${read} 0x${fd.toString(16)} `) ? "waiting" : "busy";
}

function textOf(file: string): string {
  try {
    return fs.readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
