import { readdirSync, readFileSync } from "node:fs";

/** The processes that a process started, and those that they did. */
export function processesBelow(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    if (/^\d+$/.test(name)) parents.set(Number(name), parentOf(name));
  }
  const isBelow = (one: number): boolean => {
    const parent = parents.get(one);
    return parent !== undefined && parent !== 0 && (parent === pid || isBelow(parent));
  };
  return [...parents.keys()].filter(isBelow);
}

/** Zero where it is over. */
function parentOf(pid: string): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name stands in brackets and may have any characters.
    const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return state === "Z" ? 0 : Number(parent);
  } catch {
    return 0;
  }
}

/** The words that a process was started with; none where it is over. */
export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
