import { readdirSync, readFileSync } from "node:fs";

/** The processes of this machine that have a word on their command line. */
export function processesWith(word: string): string[] {
  return readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && wordsOf(pid).includes(word));
}

function wordsOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return [];
  }
}
