/** What a probe wants to know of the mounts that `/proc/self/mountinfo` lists. */
import { parseMountLine } from "../../linux/mount-table/parse-mount-line.ts";

export interface ListedMount {
  /** The part of the file system that is mounted. */
  readonly root: string;
  readonly point: string;
  readonly type: string;
  readonly propagation: "shared" | "slave" | "unbindable" | "private";
  /** The options of the file system; a version 1 control group names its controllers here. */
  readonly options: readonly string[];
}

/** One mount a line, the later ones on top. Lines of another shape say nothing to us. */
export function parseMounts(mountinfo: string): ListedMount[] {
  return mountinfo.split("\n").flatMap((line) => parseMount(line) ?? []);
}

/** How mounts travel between the host and a copy of this mount; the topmost one counts. */
export function propagationOf(point: string, mounts: readonly ListedMount[]) {
  return mounts.findLast((mount) => mount.point === point)?.propagation;
}

function parseMount(line: string): ListedMount | undefined {
  const mount = parseMountLine(line);
  if (mount === undefined) return undefined;
  const { root, point, type, tags, fileSystemOptions: options } = mount;
  return { root, point, type, propagation: propagationIn(tags), options };
}

/** A mount may be a slave and shared: what matters is that it receives. */
function propagationIn(tags: readonly string[]): ListedMount["propagation"] {
  for (const kind of ["shared", "slave"] as const) {
    const tag = kind === "slave" ? "master:" : "shared:";
    if (tags.some((one) => one.startsWith(tag))) return kind;
  }
  return tags.includes("unbindable") ? "unbindable" : "private";
}
