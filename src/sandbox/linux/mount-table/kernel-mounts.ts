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
import { type MountLine, parseMountLine } from "./parse-mount-line.ts";

const OF_KERNEL = new Set([
  ...["proc", "sysfs", "cgroup", "cgroup2", "debugfs", "tracefs", "securityfs", "configfs"],
  ...["efivarfs", "bpf", "binfmt_misc", "pstore", "fusectl", "selinuxfs", "smackfs", "resctrl"],
  ...["devtmpfs", "devpts", "mqueue"],
]);

/** What a sandbox has of its own there, or shows read-only. */
const USUAL = /^\/(proc|sys|dev)(\/|$)/;

/** Those in the text of a `mountinfo` file, each once. In a container devices lie in a file system like any other. */
export function kernelMounts(table: string): AbsolutePath[] {
  const mounts = table.split("\n").flatMap((line) => parseMountLine(line) ?? []);
  const devices = mounts.filter(({ point }) => point === "/dev");
  const found = mounts.filter(
    (mount) => OF_KERNEL.has(mount.type) || devices.some((one) => isPartOf(mount, one)),
  );
  const unusual = new Set(found.map(({ point }) => point).filter((point) => !USUAL.test(point)));
  return [...unusual].map(toPath);
}

/** Whether all that one mount shows is also below the other. */
function isPartOf({ device, root }: MountLine, whole: MountLine): boolean {
  const below = whole.root === "/" ? "/" : `${whole.root}/`;
  return device === whole.device && (root === whole.root || root.startsWith(below));
}

/** Node cannot say a name that is not UTF-8, and what cannot be named cannot be hidden. */
function toPath(point: string): AbsolutePath {
  if (!point.includes("\uFFFD")) return parseAbsolutePath(point);
  throw new SandboxError(
    "unenforceableRule",
    `Cannot hide the kernel's file system on ${JSON.stringify(point)}: its name is not UTF-8, expected one that is`,
  );
}
