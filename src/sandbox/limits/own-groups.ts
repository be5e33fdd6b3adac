/**
 * Where this process may make control groups, by what the kernel says of itself.
 *
 * Pure: reads the texts of /proc/self/cgroup and /proc/self/mountinfo. A group is
 * only ever made inside the caller's own one, so that what confines the caller
 * keeps confining the command; see {@link aboveOwn} for the one exception.
 * cgroups(7), proc_pid_mountinfo(5).
 */
import path from "node:path";
import { parseMountLine } from "../linux/mount-table/parse-mount-line.ts";

export type Controller = "memory" | "pids" | "cpu";

/** A folder in which groups can be made. */
export interface GroupPlace {
  readonly version: 1 | 2;
  readonly parent: string;
}

/** The caller's own group of a hierarchy; `controllers` is what version 1 mounts there. */
export interface OwnGroup extends GroupPlace {
  readonly controllers: readonly string[];
  /** Where the hierarchy is mounted; nothing above it can be named. */
  readonly mountPoint: string;
}

interface GroupMount {
  readonly version: 1 | 2;
  readonly root: string;
  readonly mountPoint: string;
  readonly options: readonly string[];
}

/** The caller's own group in every hierarchy that is mounted where the caller can see it. */
export function ownGroups(cgroup: string, mountinfo: string): OwnGroup[] {
  const mounts = mountinfo.split("\n").flatMap(groupMount);
  return cgroup.split("\n").flatMap((line) => {
    const [, id, names = "", inside] = /^(\d+):([^:]*):(\/.*)$/.exec(line) ?? [];
    if (inside === undefined) return [];
    const controllers = names === "" ? [] : names.split(",");
    const mount = mounts.find(({ version, options }) =>
      id === "0"
        ? version === 2
        : version === 1 && controllers.every((one) => options.includes(one)),
    );
    const parent = mount && folderOf(mount, inside);
    if (mount === undefined || parent === undefined) return [];
    return [{ version: mount.version, parent, controllers, mountPoint: mount.mountPoint }];
  });
}

/**
 * The group above the caller's own, where version 2 lets controllers be used: a group
 * with processes in it cannot hand them on. A slice belongs to systemd and is left alone.
 */
export function aboveOwn(own: OwnGroup): GroupPlace | undefined {
  const parent = path.dirname(own.parent);
  if (own.version === 1 || own.parent === own.mountPoint || parent.endsWith(".slice")) {
    return undefined;
  }
  return { version: 2, parent };
}

function groupMount(line: string): GroupMount[] {
  const mount = parseMountLine(line);
  // Below /sys no sandbox can write; elsewhere a command of root could lift its own limits.
  if (mount === undefined || !mount.point.startsWith("/sys/")) return [];
  const { type, root, point: mountPoint, fileSystemOptions: options } = mount;
  if (type !== "cgroup" && type !== "cgroup2") return [];
  return [{ version: type === "cgroup" ? 1 : 2, root, mountPoint, options }];
}

/** Nothing when the group lies outside what is mounted: then its name leads elsewhere. */
function folderOf({ root, mountPoint }: GroupMount, inside: string): string | undefined {
  const below = path.posix.relative(root, inside);
  return below === ".." || below.startsWith("../") || inside.startsWith("/..")
    ? undefined
    : path.posix.join(mountPoint, below);
}
