import fs from "node:fs";
import path from "node:path";
import { isMainThread } from "node:worker_threads";
import { identityOf, type ProcessIdentity } from "./process-identity.ts";

let own: ProcessIdentity | undefined;
let names = 0;
/** Of this copy of the module: each thread of a process has one, and each package that brings its own. */
const copy = process.hrtime.bigint();

/**
 * A name that nobody else has or had: this process or, in a thread, the thread, which may be ended before
 * its process and is looked for by its number like one; which copy of this module in it, and a number.
 */
export function newName(): string {
  own ??= identityOf(threadNumber());
  names += 1;
  return `${own}-${copy}-${names}`;
}

/** The number that the system gave to whoever runs this. */
function threadNumber(): number {
  if (isMainThread || process.platform !== "linux") return process.pid;
  return Number(path.basename(fs.readlinkSync("/proc/thread-self")));
}
