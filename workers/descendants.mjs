import { readFileSync } from "node:fs";

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
