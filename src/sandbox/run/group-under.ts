/** Processes as the kernel lists them, by their numbers on this host. */
import fs from "node:fs";

/** Nothing where the host does not say. */
export function childrenOf(pid: number): number[] | undefined {
  const text = read(`/proc/${pid}/task/${pid}/children`);
  return text?.split(" ").filter(Boolean).map(Number);
}

/** It, and what it started in its own group. The group itself may have others in it: whoever built its sandbox has. */
export function groupUnder(pid: number): number[] {
  const group = groupOf(pid);
  return [pid, ...descendantsOf(pid).filter((one) => groupOf(one) === group)];
}

function descendantsOf(pid: number): number[] {
  return (childrenOf(pid) ?? []).flatMap((child) => [child, ...descendantsOf(child)]);
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
