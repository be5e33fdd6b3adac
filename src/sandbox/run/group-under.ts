/** Processes as the kernel lists them, by their numbers on this host. */
import fs from "node:fs";

/** Nothing where the host does not say. */
export function childrenOf(pid: number): number[] | undefined {
  const text = read(`/proc/${pid}/task/${pid}/children`);
  return text?.split(" ").filter(Boolean).map(Number);
}

/** A command may start as many as it likes, and each is looked at while nothing else goes on. */
const MOST = 1024;

/**
 * It, and what it started in its own group, the nearest first; of very many some. The group itself may have others
 * in it: whoever built its sandbox has.
 */
export function groupUnder(pid: number, most = MOST): number[] {
  const group = groupOf(pid);
  const found = new Set([pid]);
  for (const one of found) {
    if (found.size >= most) break;
    for (const child of childrenOf(one) ?? []) found.add(child);
  }
  return [...found].slice(0, most).filter((one) => one === pid || groupOf(one) === group);
}

function groupOf(pid: number): string | undefined {
  // Behind its name, which may be anything.
  return read(`/proc/${pid}/stat`)?.split(") ").at(-1)?.split(" ")[2];
}

function read(file: string): string | undefined {
  try {
    return fs.readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
