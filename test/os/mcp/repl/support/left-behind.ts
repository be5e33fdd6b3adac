/** What a server may leave on the host. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";

const BASE = "/var/tmp";

/** Those of the processes that still run. */
export function stillRunning(pids: readonly number[]): number[] {
  return pids.filter((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      return stat.slice(stat.lastIndexOf(")") + 2)[0] !== "Z";
    } catch {
      return false;
    }
  });
}

/** Kills those of the processes that are there. */
export function killAll(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It was over, maybe with another of them.
    }
  }
}

/**
 * The folders that a process of ours has made beside those of its users: scratches, and what is kept of output.
 * Those of other users have folders of their own, which only root can look into.
 */
export function foldersOf(pid: number): string[] {
  const user = process.getuid?.() === 0 ? "\\d+" : process.getuid?.();
  return readdirSync(BASE)
    .filter((name) => new RegExp(`^writ-${user}-`).test(name))
    .map((name) => path.join(BASE, name))
    .flatMap((folder) => (existsSync(folder) ? readdirSync(folder) : []))
    .filter((name) => name.includes(`-owner-${pid}-`));
}
