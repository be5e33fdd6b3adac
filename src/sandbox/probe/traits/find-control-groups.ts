/**
 * Where limits on memory and processes could be set: the control groups this
 * process may divide further. Version 2 counts when our own group is handed to
 * us, version 1 controller by controller; see cgroups(7).
 */
import type { HostFiles } from "./host-files.ts";
import { type ListedMount, parseMounts } from "./parse-mounts.ts";

export interface ControlGroups {
  readonly version: 1 | 2;
  /** For each controller that can be used the folder of our own group. */
  readonly folders: ReadonlyMap<string, string>;
}

const WANTED = ["cpu", "memory", "pids"];
const UNIFIED = "";

/** The version with more of what limits need; without any the folders are empty. */
export function findControlGroups(files: HostFiles): ControlGroups {
  const mounts = parseMounts(files.read("/proc/self/mountinfo") ?? "");
  const groups = parseGroups(files.read("/proc/self/cgroup") ?? "");
  const unified = unifiedFolders(mounts, groups, files);
  if (unified.size > 0) return { version: 2, folders: unified };
  const folders = WANTED.flatMap((controller) => {
    const mount = mounts.findLast(
      ({ type, options }) => type === "cgroup" && options.includes(controller),
    );
    const folder = folderOf(groups.get(controller), mount);
    return isOurs(folder, files) ? [[controller, folder] as const] : [];
  });
  return { version: folders.length > 0 ? 1 : 2, folders: new Map(folders) };
}

function unifiedFolders(
  mounts: readonly ListedMount[],
  groups: ReadonlyMap<string, string>,
  files: HostFiles,
): Map<string, string> {
  const mount = mounts.findLast(({ type }) => type === "cgroup2");
  const folder = folderOf(groups.get(UNIFIED), mount);
  if (!isOurs(folder, files)) return new Map();
  const controllers = files.read(`${folder}/cgroup.controllers`)?.split(" ") ?? [];
  return new Map(WANTED.filter((one) => controllers.includes(one)).map((one) => [one, folder]));
}

/** Our group by controller; version 2 has one for all, under no name. */
function parseGroups(text: string): Map<string, string> {
  const lines = [...text.matchAll(/^\d+:([^:]*):(.*)$/gm)];
  return new Map(
    lines.flatMap(([, names = "", group = ""]) => names.split(",").map((name) => [name, group])),
  );
}

/** A mount may show only a part of the tree; a group outside of it has no folder here. */
function folderOf(group: string | undefined, mount: ListedMount | undefined): string | undefined {
  if (group === undefined || mount === undefined || group.startsWith("/..")) return undefined;
  const root = mount.root === "/" ? "" : mount.root;
  if (group !== root && !group.startsWith(`${root}/`)) return undefined;
  return `${mount.point}${group.slice(root.length)}`.replace(/\/+$/, "");
}

function isOurs(folder: string | undefined, files: HostFiles): folder is string {
  return (
    folder !== undefined && files.isWritable(folder) && files.isWritable(`${folder}/cgroup.procs`)
  );
}
