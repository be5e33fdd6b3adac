/**
 * Where on this host somebody listens on a unix socket, as far as the kernel tells.
 *
 * Its table holds the names as they were given to bind(2), see proc_net(5): of
 * this network namespace, abstract ones with a leading "@", and not changed
 * when the file is renamed or linked, as `ssh` does with the sockets it waits
 * on: then all sockets beside it are taken. A relative name means something
 * only together with the folder its process works in, which can be seen for
 * processes of the same user.
 */
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import path from "node:path";
import { type AbsolutePath, parseAbsolutePath } from "../../policy/index.ts";

interface Bound {
  readonly name: string;
  /** What the descriptors of the processes that hold it say. */
  readonly handle: string;
}

/** Every path that a socket of this host was bound to. */
export function boundSockets(): AbsolutePath[] {
  const bound = parseBound(readFileSync("/proc/net/unix", "utf8"));
  const relative = bound.filter(({ name }) => !name.startsWith("/"));
  const absolute = bound.filter(({ name }) => name.startsWith("/")).map(({ name }) => name);
  const names = [...absolute, ...inFoldersOfHolders(relative)];
  return [...new Set([...names, ...names.flatMap(moved)])].map(parseAbsolutePath);
}

/** Where a socket may be reached that is not, or not only, where it was bound. */
function moved(name: string): string[] {
  try {
    if (lstatSync(name, { throwIfNoEntry: false })?.nlink === 1) return [];
    const folder = path.dirname(name);
    const beside = readdirSync(folder, { withFileTypes: true }).filter((one) => one.isSocket());
    return beside.map((one) => path.join(folder, one.name));
  } catch {
    return []; // What this user cannot look at, its commands cannot reach.
  }
}

/** The sockets of the table that have a name in the file system. */
export function parseBound(table: string): Bound[] {
  return table.split("\n").flatMap((line) => {
    const [, inode, name] = /^(?:\S+ +){6}(\d+) ([^@].*)$/.exec(line) ?? [];
    return name === undefined ? [] : [{ name, handle: `socket:[${inode}]` }];
  });
}

/** Looks at every process, so only where there are relative names, which are rare. */
function inFoldersOfHolders(relative: readonly Bound[]): string[] {
  if (relative.length === 0) return [];
  const names = new Map(relative.map(({ name, handle }) => [handle, name]));
  return readdirSync("/proc")
    .filter((pid) => /^\d+$/.test(pid))
    .flatMap((pid) => heldBy(pid, names));
}

function heldBy(pid: string, names: ReadonlyMap<string, string>): string[] {
  try {
    const folder = readlinkSync(`/proc/${pid}/cwd`);
    const open = readdirSync(`/proc/${pid}/fd`).map((fd) => linkOrNothing(`/proc/${pid}/fd/${fd}`));
    return open
      .flatMap((target) => names.get(target) ?? [])
      .map((name) => path.resolve(folder, name));
  } catch {
    return []; // Another user's, or gone.
  }
}

function linkOrNothing(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return "";
  }
}
