/**
 * Which process a run has brought to life.
 *
 * The file of a run says so behind its last line end: nothing at first, then
 * the first process of the sandbox. A run that is over removes its file, or
 * leaves it to the next one, since making a file can be dear.
 */
import fs from "node:fs";
import path from "node:path";
import { identityOf, type ProcessIdentity } from "./process-identity.ts";

const MOST_BYTES = 1 << 16;

/** Says that a run is about to start, before anything of it lives. */
export function announceRun(folder: string, run: string): void {
  fs.closeSync(fs.openSync(fileOf(folder, run), "a"));
}

/** Puts the first process of a sandbox on record, before its command runs. */
export function recordRun(folder: string, run: string, pid: number): void {
  // Added to the file: what cuts a file short makes some file systems write at once.
  fs.appendFileSync(fileOf(folder, run), identityOf(pid) ?? "");
}

/** Removes the record of a run that is over. */
export function forgetRun(folder: string, run: string): void {
  fs.rmSync(fileOf(folder, run), { force: true });
}

/** Leaves the record of a run that is over to the next one; false when that cannot be, and it was removed. */
export function restRun(folder: string, run: string): boolean {
  const file = fileOf(folder, run);
  try {
    if ((fs.statSync(file, { throwIfNoEntry: false })?.size ?? MOST_BYTES) < MOST_BYTES) {
      fs.appendFileSync(file, "\n");
      return true;
    }
  } catch {
    // The disk is full; the run is over all the same.
  }
  forgetRun(folder, run);
  return false;
}

/** The first process of a run; empty when it did not get that far, or nobody lived to write it down. */
export function recordedProcess(folder: string, run: string): ProcessIdentity {
  try {
    const lines = fs.readFileSync(fileOf(folder, run), "utf8").split("\n");
    return (lines.at(-1) ?? "") as ProcessIdentity;
  } catch {
    return "" as ProcessIdentity;
  }
}

function fileOf(folder: string, run: string): string {
  return path.join(folder, `run-${run}`);
}
