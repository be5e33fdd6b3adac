import { parseMountLine } from "./parse-mount-line.ts";

/** A mount of a process, as the kernel lists it. */
export interface MountedPath {
  readonly id: string;
  readonly parent: string;
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
    const { id, parent, root, point: path, options, tags } = mount;
    const follows = tags.some((tag) => /^(shared|master):/.test(tag));
    return [{ id, parent, root, path, readOnly: options.includes("ro"), follows }];
  });
}

/** The mount that is seen at each path: neither one below another, nor one in a folder mounted over. */
export function topMounts(mounts: readonly MountedPath[]): Map<string, MountedPath> {
  const ids = new Set(mounts.map(({ id }) => id));
  const root = mounts.find(({ id, parent }) => parent === id || !ids.has(parent));
  const on = new Map(mounts.map((mount) => [`${mount.parent} ${mount.path}`, mount]));
  const top = new Map<string, MountedPath>();
  for (const { path } of mounts) {
    let seen = root;
    for (const step of stepsTo(path)) seen = highestOn(step, seen, on);
    if (seen?.path === path) top.set(path, seen);
  }
  return top;
}

/** `/a/b` is reached by `/`, `/a` and `/a/b`. */
function stepsTo(path: string): string[] {
  const names = path.split("/").filter(Boolean);
  return ["/", ...names.map((_, index) => `/${names.slice(0, index + 1).join("/")}`)];
}

/** What is mounted on `path` of a mount, and on that, and so on. */
function highestOn(
  path: string,
  mount: MountedPath | undefined,
  on: ReadonlyMap<string, MountedPath>,
): MountedPath | undefined {
  const next = mount && on.get(`${mount.id} ${path}`);
  return next === undefined || next === mount ? mount : highestOn(path, next, on);
}
