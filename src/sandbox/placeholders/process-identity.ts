/**
 * Which process, for good: its number alone may be given to another one.
 *
 * `<pid>-<start>-<pid namespace>-<boot>`. What was written before the last boot
 * is over; what another pid namespace wrote cannot be judged from here, nor who is hidden.
 */
import fs from "node:fs";
import { statOf } from "./stat-of.ts";

declare const identity: unique symbol;

export type ProcessIdentity = string & { readonly [identity]: true };

/** The identity of a process; nothing when it is gone. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  const start = startOf(pid);
  return start === undefined
    ? undefined
    : (`${pid}-${start}-${pidNamespace()}-${bootId()}` as ProcessIdentity);
}

/** Reads the identity that a longer name begins with. */
export function identityIn(name: string): ProcessIdentity {
  return name.split("-").slice(0, 4).join("-") as ProcessIdentity;
}

/**
 * The number of exactly that process, this user's or another's; nothing once it is over. One that
 * cannot be judged from here counts as living.
 */
export function livingPid(
  one: ProcessIdentity,
  owner: "own" | "other" = "own",
): number | "elsewhere" | undefined {
  const [pid = "", start, namespace, boot] = one.split("-");
  if (boot !== bootId()) return undefined;
  if (namespace !== pidNamespace()) return "elsewhere";
  const stat = statOf(Number(pid));
  if (stat === undefined) return isHidden(Number(pid), owner) ? "elsewhere" : undefined;
  return stat[START] === start && !isOver(stat) ? Number(pid) : undefined;
}

/** True while a process does something; one that is over but not yet collected does not. */
export function isRunning(pid: number): boolean {
  const stat = statOf(pid);
  return stat !== undefined && !isOver(stat);
}

/** What nobody has collected yet keeps its number. A process whose first thread alone has ended lives on. */
function isOver(stat: readonly string[]): boolean {
  const [state] = stat;
  return (state === "Z" || state === "X") && Number(stat[THREADS]) <= 1;
}

/** Fields 20 and 22 of proc(5): how many threads, and the start time in clock ticks since boot. */
const [THREADS, START] = [17, 19];

let boot: string | undefined;
function bootId(): string {
  boot ??= fs.readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim().replaceAll("-", "");
  return boot;
}

let namespace: string | undefined;
function pidNamespace(): string {
  namespace ??= /\d+/.exec(fs.readlinkSync("/proc/self/ns/pid"))?.[0] ?? "0";
  return namespace;
}

/**
 * Whether it is there though nothing is told of it: a host may hide processes, those of others or of
 * whoever is in another user namespace. One of our own is never forbidden to us: its number is another's by now.
 */
function isHidden(pid: number, owner: "own" | "other"): boolean {
  if (!(pid > 0)) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    return code === "EPERM" ? owner === "other" : code !== "ESRCH";
  }
}

function startOf(pid: number): string | undefined {
  return statOf(pid)?.[START];
}
