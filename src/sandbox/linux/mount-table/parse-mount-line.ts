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

/** Where the tags begin; behind them a lone "-" and what is said of the file system. */
const TAGS = 6;

/** Reads a line; nothing for one of another shape. */
export function parseMountLine(line: string): MountLine | undefined {
  const fields = line.split(" ");
  const end = fields.indexOf("-", TAGS);
  const [id = "", parent = "", device = "", root, point, options = ""] = fields;
  if (end === -1 || root === undefined || point === undefined) return undefined;
  const type = fields[end + 1];
  if (type === undefined) return undefined;
  return {
    id,
    parent,
    device,
    type,
    tags: fields.slice(TAGS, end),
    root: plain(root),
    point: plain(point),
    options: options.split(","),
    fileSystemOptions: (fields[end + 3] ?? "").split(","),
  };
}

/** White space and backslashes are written as three octal digits. */
function plain(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(/\\([0-7]{3})/g, (_, octal) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
}
