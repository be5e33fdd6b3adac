/**
 * Descriptors that a child would get by accident.
 *
 * Node and what it loads may have some that do not close by themselves; a child
 * that keeps one keeps a file, a socket or a terminal of somebody else.
 */
import fs from "node:fs";

/** Those that are known to close by themselves: ends of pipes that nobody has yet, and where launchers report. */
export const closingEnds = new Set<number>();

/** Descriptors this process was started with would reach the command; each is replaced by nothing. */
export function shadowsOf(inherited: readonly number[], from: number, nothing: number) {
  const length = Math.max(0, Math.max(-1, ...inherited) + 1 - from);
  // "ignore" leaves a descriptor as it is, which is right for those that close by themselves.
  return Array.from({ length }, (_, index) =>
    inherited.includes(from + index) ? nothing : "ignore",
  );
}

/** Those below get something else in their place anyway. */
export function inheritedFrom(first: number): number[] {
  const open = fs.readdirSync("/proc/self/fdinfo").map(Number);
  return open.filter((fd) => fd >= first && !closingEnds.has(fd) && isInherited(fd));
}

/** Which pipe or socket each descriptor led to when it was found to close by itself. */
const closing = new Map<number, number>();

/** To be called for an end of a pipe that was opened here: all that Node opens closes by itself. */
export function knowToClose(fd: number, inode: number): void {
  closing.set(fd, inode);
}

/** Without the close-on-exec flag. A pipe or socket is one of a kind and need not be asked twice. */
function isInherited(fd: number): boolean {
  try {
    const found = fs.fstatSync(fd);
    const isUnique = found.isFIFO() || found.isSocket();
    if (isUnique && closing.get(fd) === found.ino) return false;
    const inherited = stays(fd);
    if (isUnique && !inherited) closing.set(fd, found.ino);
    return inherited;
  } catch {
    return false; // The one that listed the folder is already closed.
  }
}

/** See proc_pid_fdinfo(5). */
function stays(fd: number): boolean {
  try {
    const flags = /^flags:\s*(\d+)/m.exec(beginningOf(`/proc/self/fdinfo/${fd}`))?.[1];
    return (Number.parseInt(flags ?? "0", 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    return true;
  }
}

/** The flags stand in its second line. To read on until there is no more would be one more call for each. */
const BEGINNING = Buffer.alloc(128);

function beginningOf(file: string): string {
  const fd = fs.openSync(file, fs.constants.O_RDONLY);
  try {
    return BEGINNING.toString("latin1", 0, fs.readSync(fd, BEGINNING));
  } finally {
    fs.closeSync(fd);
  }
}

const CLOSE_ON_EXEC = 0o2000000;
