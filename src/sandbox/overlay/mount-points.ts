import fs from "node:fs";
import { readMountTable } from "../linux/mount-table/read-mount-table.ts";

/** Where something is mounted for this process. */
export function mountPoints(): string[] {
  const table = readMountTable(fs.readFileSync("/proc/self/mountinfo", "utf8"));
  return table.map(({ path }) => path);
}
