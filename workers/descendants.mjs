import { readFileSync } from "node:fs";

/** Its bit in a set of signals. */
const SIGINT = 2n;

/** Every process that `pid` started, and that those started. */
export function descendants(pid) {
  return children(pid).flatMap((child) => [child, ...descendants(child)]);
}

/** Those that an interrupt from a terminal would reach: who is to go on alone has a group of its own. */
export function foreground(pid) {
  const group = groupOf(pid);
  return descendants(pid).filter((one) => groupOf(one) === group);
}

/** Signals as many of them as there still are. */
export function signalAll(pids, name) {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // It has ended.
    }
  }
}

/** Whether an interrupt would be lost on a process. */
export function ignoresInterrupts(pid) {
  try {
    const ignored = /^SigIgn:\s*([0-9a-f]+)$/m.exec(
      readFileSync(`/proc/${pid}/status`, "utf8"),
    )?.[1];
    return (BigInt(`0x${ignored}`) & SIGINT) !== 0n;
  } catch {
    return false;
  }
}

function groupOf(pid) {
  try {
    // Behind its name, which may be anything.
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ")[2];
  } catch {
    return undefined;
  }
}

function children(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
    return text.split(" ").filter(Boolean).map(Number);
  } catch {
    // It has ended.
    return [];
  }
}
