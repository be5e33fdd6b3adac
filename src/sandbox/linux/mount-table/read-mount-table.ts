import { parseMountLine } from "./parse-mount-line.ts";

/** A mount of a process, as the kernel lists it. */
export interface MountedPath {
  readonly id: string;
  readonly parent: string;
  /** The numbers of its file system. */
  readonly device: string;
  /** What of its file system is mounted. */
  readonly root: string;
  readonly path: string;
  readonly readOnly: boolean;
  /** Whether mounts made elsewhere appear in it. */
  readonly follows: boolean;
}

/** Reads the text of a `mountinfo` file. */
export function readMountTable(text: string): MountedPath[] {
  return text.split("\n").flatMap((line) => {
    const mount = parseMountLine(line);
    if (mount === undefined) return [];
    const { id, parent, device, root, point: path, options, tags } = mount;
    const follows = tags.some((tag) => /^(shared|master):/.test(tag));
    return [{ id, parent, device, root, path, readOnly: options.includes("ro"), follows }];
  });
}

/** The mount that is seen at each path: neither one below another, nor one in a folder mounted over. */
export function topMounts(mounts: readonly MountedPath[]): Map<string, MountedPath> {
  const on = new Map<string, MountedPath[]>(mounts.map(({ id }) => [id, []]));
  const root = mounts.find(({ id, parent }) => parent === id || !on.has(parent));
  for (const mount of mounts) if (mount !== root) on.get(mount.parent)?.push(mount);
  const top = new Map<string, MountedPath>();
  for (const { path } of mounts) {
    const seen = top.has(path) ? undefined : root && highestOn(path, root, on);
    if (seen?.path === path) top.set(path, seen);
  }
  return top;
}

/** Whoever goes to `path` comes to the first mount on the way, from there to the next, and so on. */
function highestOn(
  path: string,
  mount: MountedPath,
  on: ReadonlyMap<string, readonly MountedPath[]>,
): MountedPath {
  let next: MountedPath | undefined;
  for (const one of on.get(mount.id) ?? []) {
    if (leadsTo(one.path, path) && !(next && next.path.length < one.path.length)) next = one;
  }
  return next === undefined ? mount : highestOn(path, next, on);
}

function leadsTo(folder: string, path: string): boolean {
  if (!path.startsWith(folder)) return false;
  return folder === "/" || folder.length === path.length || path[folder.length] === "/";
}
