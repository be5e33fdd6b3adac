/**
 * Where on this host somebody listens on a unix socket, as far as the kernel tells.
 *
 * Its table holds the names as they were given to bind(2), see proc_net(5): of
 * this network namespace, abstract ones with a leading "@", and not changed
 * when the file is renamed or linked, as `ssh` does with the sockets it waits
 * on: then all sockets beside it are taken.
 */
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { type AbsolutePath, parseAbsolutePath } from "../../../policy/index.ts";
import { mountedElsewhere } from "../../linux/mount-table/mounted-elsewhere.ts";
import { readMountTable } from "../../linux/mount-table/read-mount-table.ts";
import { SandboxError } from "../../sandbox-error.ts";
import { closedOnTheWay } from "../closed-on-the-way.ts";
import { realName } from "../real-name.ts";
import { type Bound, isOfItsProcess, namesOfProcesses } from "./names-of-processes.ts";

/** What a command would have to reach to talk to a socket of this host: every path that one was bound to, or a folder. */
export function boundSockets(): AbsolutePath[] {
  const bound = parseBound(readFileSync("/proc/net/unix", "utf8"));
  const absolute = bound.filter((one) => !isOfItsProcess(one)).map(({ name }) => name);
  const names = [
    ...absolute.map(withoutDetours),
    ...namesOfProcesses(bound.filter(isOfItsProcess)),
  ];
  const found = [...new Set([...names, ...names.flatMap(moved)])];
  const all = new Set([...found, ...elsewhere(found)]);
  return [...new Set([...all].flatMap(waysTo))].map(parseAbsolutePath);
}

/** The same sockets where the folders that they lie in are mounted once more. */
function elsewhere(names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const mounts = readMountTable(readFileSync("/proc/self/mountinfo", "utf8"));
  return mountedElsewhere(names.map(realName), mounts);
}

/** The kernel goes back from where a link leads, which nobody knows any more once `..` is folded away. */
function withoutDetours(name: string): string {
  return name.includes("/../") ? realName(name) : name;
}

/** A name in the table is what somebody said; only what is a socket is hidden, and the folder of one that is closed. */
function waysTo(name: string): string[] {
  const found = kindOf(name);
  if (found === "socket" && process.getuid?.() !== 0) return [name];
  if (found === "nothing") return [];
  const closed = closedOnTheWay(path.dirname(name));
  // Root sees into every folder. Its commands do not, nor does whoever builds their sandbox.
  if (found === "socket") return closed === undefined ? [name] : [closed.folder, name];
  // What is closed to this user is closed to its commands, unless they can open it.
  return closed?.isOwn ? [closed.folder] : [];
}

function kindOf(name: string): "socket" | "nothing" | "closed" {
  try {
    return lstatSync(name, { throwIfNoEntry: false })?.isSocket() ? "socket" : "nothing";
  } catch (error) {
    const isClosed = error instanceof Error && "code" in error && error.code === "EACCES";
    return isClosed ? "closed" : "nothing";
  }
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

/** One row as the kernel prints it: address, counts, protocol, flags, type, state, inode, and a name or none. */
const ROW =
  /^[\da-f]+: [\da-f]{8} [\da-f]{8} [\da-f]{8} ([\da-f]{4} [\da-f]{2}) +(\d+)(?: (.*))?$/i;

/** A stream or packets of one, connected: nobody can connect to it, and its name is that of who listens. */
const CONNECTED = /^000[15] 03$/;

/**
 * The sockets of the table that have a name in the file system.
 *
 * A name with a line break spreads over rows, where it could pass for another one: then nothing is
 * known for sure, and that is an error.
 */
export function parseBound(table: string): Bound[] {
  const [, ...rows] = table.replace(/\n$/, "").split("\n");
  return rows.flatMap((line) => {
    const [row, how = "", inode, name] = ROW.exec(line) ?? [];
    if (row === undefined || name?.includes("\uFFFD")) throw unreadable();
    const isNamed =
      name !== undefined && name !== "" && !name.startsWith("@") && !CONNECTED.test(how);
    return isNamed ? [{ name, handle: `socket:[${inode}]` }] : [];
  });
}

function unreadable(): SandboxError {
  return new SandboxError(
    "unenforceableRule",
    'Cannot hide the unix sockets of this host: one has a name with a line break or bytes that are not UTF-8, expected "none" or names that can be told apart',
  );
}
