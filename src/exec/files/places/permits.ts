/**
 * What the owner and mode of a file let a command do.
 *
 * The kernel decides that for everybody but root. A command of a root caller
 * has no capabilities in its sandbox, while this process has them: for it the
 * same question is answered by hand.
 */
import type { Stats } from "node:fs";

export type FileUse = "read" | "write" | "enter";

const BITS: Record<FileUse, number> = { read: 4, write: 2, enter: 1 };
const STICKY = 0o1000;

/** Whether this user may use a file without any capability. */
export function permits({ uid, gid, mode }: Stats, use: FileUse): boolean {
  if (process.geteuid?.() !== 0) return true;
  const shift = uid === 0 ? 6 : isOurs(gid) ? 3 : 0;
  return ((mode >> shift) & BITS[use]) !== 0;
}

/** Whether the rule for folders like /tmp keeps what is not one's own from being removed. */
export function isKept(folder: Stats, { uid }: Stats): boolean {
  if (process.geteuid?.() !== 0 || (folder.mode & STICKY) === 0) return false;
  return uid !== 0 && folder.uid !== 0;
}

let groups: ReadonlySet<number> | undefined;

function isOurs(gid: number): boolean {
  groups ??= new Set([process.getegid?.() ?? 0, ...(process.getgroups?.() ?? [])]);
  return groups.has(gid);
}
