/**
 * Where sockets lie whose names mean something only to the process that bound them.
 *
 * A relative name begins in the folder that the process works in. A name through /proc/self or /dev/fd is
 * how a socket is bound whose path is too long for an address, see unix(7). Both can be seen for processes
 * of the same user.
 */
import { lstatSync, readdirSync, readlinkSync } from "node:fs";
import { SandboxError } from "../../sandbox-error.ts";
import { realName } from "../real-name.ts";

/** A socket with a name in the file system. */
export interface Bound {
  /** As it was given to bind(2). */
  readonly name: string;
  /** What the descriptors of the processes that hold it say. */
  readonly handle: string;
}

const THROUGH_PROC = /^\/+proc\/+(?:self|thread-self|\d+)\//;
const THROUGH_DESCRIPTOR = /^\/+dev\/+fd\//;

/** Whether somebody else has to know which process said it, or may find something else under it. */
export function isOfItsProcess({ name }: Bound): boolean {
  return !name.startsWith("/") || THROUGH_PROC.test(name) || THROUGH_DESCRIPTOR.test(name);
}

/**
 * Their real names, as far as this user sees who holds them. Looks at every process, so only where there
 * are such names, which are rare. Throws where one that is seen cannot be followed any more, as when the
 * descriptor it was bound through was closed.
 */
export function namesOfProcesses(bound: readonly Bound[]): string[] {
  if (bound.length === 0) return [];
  const names = new Map(bound.map((one) => [one.handle, one.name]));
  const view = readlinkSync("/proc/self/ns/mnt");
  const held = readdirSync("/proc")
    .filter((pid) => /^\d+$/.test(pid))
    .flatMap((pid) => heldBy(pid, names, view));
  const followed = held.filter(isFollowed);
  const lost = bound.find(({ name, handle }) => name.startsWith("/") && isLost(handle, held));
  if (lost !== undefined) throw unfollowed(lost.name);
  return followed.map(({ place }) => place);
}

interface Held extends Bound {
  readonly place: string;
}

/**
 * Whether it is not known where a socket that somebody holds lies. By the socket and not by its name, which
 * leads elsewhere in each process; where two are said to lie at one place, one of them lies elsewhere.
 */
function isLost(handle: string, held: readonly Held[]): boolean {
  const own = held.filter((one) => one.handle === handle);
  const places = new Set(
    own
      .filter(isFollowed)
      .filter(mayBeSocket)
      .map(({ place }) => place),
  );
  const isShared = held.some((one) => one.handle !== handle && places.has(one.place));
  return own.length > 0 && (places.size === 0 || isShared);
}

function isFollowed({ place }: Held): boolean {
  return !place.startsWith("/proc/");
}

/** Nothing of a process that has other mounts: its names lead elsewhere. */
function heldBy(pid: string, names: ReadonlyMap<string, string>, view: string): Held[] {
  try {
    if (readlinkSync(`/proc/${pid}/ns/mnt`) !== view) return [];
    const open = readdirSync(`/proc/${pid}/fd`).map((fd) => linkOrNothing(`/proc/${pid}/fd/${fd}`));
    return [...new Set(open)].flatMap((handle) => {
      const name = names.get(handle);
      return name === undefined ? [] : [{ name, handle, place: realName(asSeenBy(pid, name)) }];
    });
  } catch {
    return []; // Another user's, or gone.
  }
}

function asSeenBy(pid: string, name: string): string {
  if (THROUGH_DESCRIPTOR.test(name)) return name.replace(THROUGH_DESCRIPTOR, `/proc/${pid}/fd/`);
  if (!name.startsWith("/")) return `/proc/${pid}/cwd/${name}`;
  return name.replace(/^\/+proc\/+(?:self|thread-self)\//, `/proc/${pid}/`);
}

/** What lies in a closed folder cannot be looked at; its folder is dealt with like that of any other. */
function mayBeSocket({ place }: Held): boolean {
  try {
    return lstatSync(place, { throwIfNoEntry: false })?.isSocket() === true;
  } catch {
    return true;
  }
}

function linkOrNothing(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return "";
  }
}

function unfollowed(name: string): SandboxError {
  return new SandboxError(
    "unenforceableRule",
    `Cannot hide the unix sockets of this host: ${JSON.stringify(name)} does not say any more where that socket lies, expected "none" or a socket with a path of its own`,
  );
}
