import fs from "node:fs";

/** Whether a process with this word on its command line lives on the host. */
export function isAlive(word: string): boolean {
  return fs.readdirSync("/proc").some((name) => {
    try {
      return /^\d+$/.test(name) && fs.readFileSync(`/proc/${name}/cmdline`, "utf8").includes(word);
    } catch {
      return false;
    }
  });
}
