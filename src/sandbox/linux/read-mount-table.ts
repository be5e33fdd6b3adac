/** The mounts of a process as the kernel lists them; see proc_pid_mountinfo(5). */
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
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [id = "", parent = "", , root = "", path = "", options = "", ...rest] = line.split(" ");
      const optional = rest.slice(0, rest.indexOf("-"));
      return {
        id,
        parent,
        root: plain(root),
        path: plain(path),
        readOnly: options.split(",").includes("ro"),
        follows: optional.some((field) => /^(shared|master):/.test(field)),
      };
    });
}

/** The mount that is seen at each path: of several, the one on top. */
export function topMounts(mounts: readonly MountedPath[]): Map<string, MountedPath> {
  const byPath = Map.groupBy(mounts, ({ path }) => path);
  const top = new Map<string, MountedPath>();
  for (const [path, stack] of byPath) {
    const covered = new Set(stack.map(({ parent }) => parent));
    const seen = stack.find(({ id }) => !covered.has(id)) ?? stack.at(-1);
    if (seen !== undefined) top.set(path, seen);
  }
  return top;
}

/** Spaces and the like are written as octal numbers. */
function plain(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, octal) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
}
