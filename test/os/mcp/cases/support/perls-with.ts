import { readdirSync, readFileSync } from "node:fs";

/** The processes of this machine that have a word on their command line: interpreters, and what starts them. */
export function processesWith(word: string): number[] {
  return readdirSync("/proc")
    .filter((pid) => /^\d+$/.test(pid) && wordsOf(pid).includes(word))
    .map(Number);
}

/** The interpreters among them. */
export function perlsWith(word: string): number[] {
  return processesWith(word).filter((pid) => wordsOf(pid)[0] === "/usr/bin/perl");
}

function wordsOf(pid: string | number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return [];
  }
}
