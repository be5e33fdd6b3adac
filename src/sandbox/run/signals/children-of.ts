import fs from "node:fs";

/** The numbers of what a process of one thread has started, the oldest first; nothing where the host does not say. */
export function childrenOf(pid: number): number[] | undefined {
  try {
    const text = fs.readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
    return text.split(" ").filter(Boolean).map(Number);
  } catch {
    return undefined;
  }
}
