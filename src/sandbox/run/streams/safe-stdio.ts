import { fstatSync, readFileSync, readlinkSync, type Stats } from "node:fs";
import { isatty } from "node:tty";
import { SandboxError } from "../../sandbox-error.ts";

/**
 * How the first three descriptors reach the command.
 *
 * They belong to the host, whatever the sandbox shows: a file can be opened again for writing
 * through one, a folder is a way to everything, and a socket stays in the network it was made in
 * and can be connected anew. A pipe with a name has permissions that its owner can change, and what is written to the
 * master side of a terminal is typed into it. So only pipes without a name, terminals, pairs of sockets and /dev/null
 * are handed on as they are; all else is relayed through pipes.
 */
export function safeStdio(): ("inherit" | "pipe")[] {
  return [0, 1, 2].map((fd) => {
    const found = fstatSync(fd);
    if (found.isDirectory()) {
      throw new SandboxError("unprotectablePath", `Cannot start: descriptor ${fd} is a folder`);
    }
    return isSafe(fd, found) ? "inherit" : "pipe";
  });
}

/** Whether an input leads nowhere else: a terminal or a socket can be written to, whatever it was meant for. */
export function isInputOnly(): boolean {
  const found = fstatSync(0);
  return found.isFIFO() || isNothing(found);
}

function isSafe(fd: number, found: Stats): boolean {
  if (found.isSocket()) return isConnectedStream(fd);
  if (found.isFIFO()) return isNameless(fd);
  return isNothing(found) || (isatty(fd) && found.rdev !== MASTER);
}

/** The number of /dev/ptmx, which the master side of every terminal has. */
const MASTER = 0x502;

function isNameless(fd: number): boolean {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`).startsWith("pipe:[");
  } catch {
    return false;
  }
}

function isNothing(found: Stats): boolean {
  return found.isCharacterDevice() && found.rdev === NULL_DEVICE;
}

/** The number of /dev/null. */
const NULL_DEVICE = 0x103;

/** A unix socket of a kind that stays connected, as the kernel lists it; see proc_net(5). */
function isConnectedStream(fd: number): boolean {
  try {
    const [, inode] = /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/self/fd/${fd}`)) ?? [];
    const row = new RegExp(`^(?:\\S+ +){4}000[15] 03 +${inode}( |$)`, "m");
    return inode !== undefined && row.test(readFileSync("/proc/net/unix", "utf8"));
  } catch {
    return false;
  }
}
