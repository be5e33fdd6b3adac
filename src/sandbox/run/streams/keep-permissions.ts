/**
 * Puts back who may open what a command has of the host itself: terminals, and devices.
 *
 * Whoever owns one may open it to others or close it to everybody, and no mount and no filter can tell that
 * from what a command does to its own files. The first are the user's; the second are those of a root caller.
 */
import fs from "node:fs";
import { isatty } from "node:tty";

/** Those of the host that every sandbox shows. */
const DEVICES = ["full", "null", "random", "tty", "urandom", "zero"].map((name) => `/dev/${name}`);

/** A terminal is for its owner and, should the owner want that, for messages; see mesg(1). */
const [OWNER, MESSAGES] = [0o600, 0o020];

/** `/dev/tty` and `/dev/ptmx`, by whatever name: each is the one node by which everybody comes to a terminal of their own. */
const SHARED: ReadonlySet<number> = new Set([0x500, 0x502]);

/** Notes them before a command that gets these descriptors; what this answers with puts them back behind it. */
export function keepPermissions(handedOn: readonly number[]): () => void {
  const terminals = handedOn.filter((fd) => isatty(fd));
  const isShared = (fd: number) => SHARED.has(fs.fstatSync(fd).rdev);
  const kept = [
    ...terminals.map((fd) => (isShared(fd) ? ofDevice(fd) : ofTerminal(fd))),
    ...DEVICES.map(ofDevice),
  ];
  return () => {
    for (const putBack of kept) quietly(putBack);
  };
}

function ofTerminal(fd: number): () => void {
  const before = fs.fstatSync(fd);
  return () => {
    const now = fs.fstatSync(fd);
    const permissions = permissionsIn(now);
    const group = now.gid === before.gid ? now.gid : giveBack(fd, before);
    // A group that this user is in may be one that a command gave it: messages come by that of the host.
    const most = OWNER | (isOwnGroup(group) ? 0 : permissionsIn(before) & MESSAGES);
    const isOpened = (permissions & ~most) !== 0;
    // Not simply as it was: another command on the same terminal may have changed it before or since.
    if (isOpened || permissions !== permissionsIn(before)) fs.fchmodSync(fd, most);
  };
}

/** The group that it has then: it cannot be given to one that this user is not in. */
function giveBack(fd: number, { uid, gid }: fs.Stats): number {
  try {
    fs.fchownSync(fd, uid, gid);
    return gid;
  } catch {
    return fs.fstatSync(fd).gid;
  }
}

function isOwnGroup(group: number): boolean {
  return process.getegid?.() === group || process.getgroups?.().includes(group) === true;
}

/** By its name or its descriptor. */
type Device = string | number;

function ofDevice(device: Device): () => void {
  const before = ownPermissionsOf(device);
  return () => {
    const now = ownPermissionsOf(device);
    // What is allowed besides may be what somebody else has put back.
    if ((now & before) === before) return;
    if (typeof device === "number") fs.fchmodSync(device, now | before);
    else fs.chmodSync(device, now | before);
  };
}

/** None where it is another's: the command is this user and cannot change that. */
function ownPermissionsOf(device: Device): number {
  const found =
    typeof device === "number"
      ? fs.fstatSync(device)
      : fs.statSync(device, { throwIfNoEntry: false });
  return found !== undefined && found.uid === process.getuid?.() ? permissionsIn(found) : 0;
}

function permissionsIn({ mode }: fs.Stats): number {
  return mode & 0o7777;
}

/** What cannot be changed from here the command could not change either. */
function quietly(putBack: () => void): void {
  try {
    putBack();
  } catch {
    // Said above.
  }
}
