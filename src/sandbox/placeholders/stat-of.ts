import fs from "node:fs";

/** The fields of proc(5) from the state on, which stands behind the name in brackets. */
export function statOf(pid: number): string[] | undefined {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return undefined;
  }
}
