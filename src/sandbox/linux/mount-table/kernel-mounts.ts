/**
 * Where else than in its usual places a file system of the kernel is mounted, as for a root file system
 * that somebody builds in a workspace.
 *
 * Such a one is about the host and not about files: its processes, its settings, its control groups, its
 * devices, which root's command could take away. A command has a /proc, a /sys and a /dev of its own, and would
 * find the host's in a folder like any other. Pure.
 */
import { type AbsolutePath, parseAbsolutePath } from "../../../policy/index.ts";
import { SandboxError } from "../../sandbox-error.ts";
import { parseMountLine } from "./parse-mount-line.ts";

const OF_KERNEL = new Set([
  ...["proc", "sysfs", "cgroup", "cgroup2", "debugfs", "tracefs", "securityfs", "configfs"],
  ...["efivarfs", "bpf", "binfmt_misc", "pstore", "fusectl", "selinuxfs", "smackfs", "resctrl"],
  ...["devtmpfs", "devpts", "mqueue"],
]);

/** What a sandbox has of its own there, or shows read-only. */
const USUAL = /^\/(proc|sys|dev)(\/|$)/;

/** Those in the text of a `mountinfo` file, each once. */
export function kernelMounts(table: string): AbsolutePath[] {
  const points = table.split("\n").flatMap((line) => {
    const mount = parseMountLine(line);
    return mount !== undefined && OF_KERNEL.has(mount.type) ? [mount.point] : [];
  });
  const unusual = new Set(points.filter((point) => !USUAL.test(point)));
  return [...unusual].map(toPath);
}

/** Node cannot say a name that is not UTF-8, and what cannot be named cannot be hidden. */
function toPath(point: string): AbsolutePath {
  if (!point.includes("\uFFFD")) return parseAbsolutePath(point);
  throw new SandboxError(
    "unenforceableRule",
    `Cannot hide the kernel's file system on ${JSON.stringify(point)}: its name is not UTF-8, expected one that is`,
  );
}
