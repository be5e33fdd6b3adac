/** One line of a `mountinfo` file, as the kernel writes it; see proc_pid_mountinfo(5). */
export interface MountLine {
  readonly id: string;
  readonly parent: string;
  /** The numbers of the file system's device. */
  readonly device: string;
  /** What of its file system is mounted. */
  readonly root: string;
  readonly point: string;
  /** The options of this mount; those of the file system behind it are another thing. */
  readonly options: readonly string[];
  /** How it is tied to other mounts: `shared:N`, `master:N`, … */
  readonly tags: readonly string[];
  readonly type: string;
  readonly fileSystemOptions: readonly string[];
}

/** Reads a line; nothing for one of another shape. */
export function parseMountLine(line: string): MountLine | undefined {
  const [before = "", after] = line.split(" - ", 2);
  const [id = "", parent = "", device = "", root, point, options = "", ...tags] = before.split(" ");
  const [type, , fileSystemOptions = ""] = after?.split(" ") ?? [];
  if (root === undefined || point === undefined || type === undefined) return undefined;
  return {
    ...{ id, parent, device, type, tags },
    root: plain(root),
    point: plain(point),
    options: options.split(","),
    fileSystemOptions: fileSystemOptions.split(","),
  };
}

/** White space and backslashes are written as three octal digits. */
function plain(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, octal) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
}
