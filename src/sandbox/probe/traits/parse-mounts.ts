/** Mounts as `/proc/self/mountinfo` lists them; see proc_pid_mountinfo(5). */

export interface KernelMount {
  /** The part of the file system that is mounted. */
  readonly root: string;
  readonly point: string;
  readonly type: string;
  readonly propagation: "shared" | "slave" | "unbindable" | "private";
  /** The options of the file system; a version 1 control group names its controllers here. */
  readonly options: readonly string[];
}

/** One mount a line, the later ones on top. Lines of another shape say nothing to us. */
export function parseMounts(mountinfo: string): KernelMount[] {
  return mountinfo.split("\n").flatMap((line) => parseMount(line) ?? []);
}

/** How mounts travel between the host and a copy of this mount; the topmost one counts. */
export function propagationOf(point: string, mounts: readonly KernelMount[]) {
  return mounts.findLast((mount) => mount.point === point)?.propagation;
}

function parseMount(line: string): KernelMount | undefined {
  const [before = "", after] = line.split(" - ", 2);
  const [, , , root, point, , ...tags] = before.split(" ");
  const [type, , options] = after?.split(" ") ?? [];
  if (root === undefined || point === undefined || type === undefined) return undefined;
  return {
    root: plain(root),
    point: plain(point),
    type,
    propagation: propagationIn(tags),
    options: options?.split(",") ?? [],
  };
}

/** A mount may be a slave and shared: what matters is that it receives. */
function propagationIn(tags: readonly string[]): KernelMount["propagation"] {
  for (const kind of ["shared", "slave"] as const) {
    const tag = kind === "slave" ? "master:" : "shared:";
    if (tags.some((one) => one.startsWith(tag))) return kind;
  }
  return tags.includes("unbindable") ? "unbindable" : "private";
}

/** The kernel writes white space and backslashes as three octal digits. */
function plain(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}
