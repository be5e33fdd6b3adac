/**
 * Which kind of container this process lives in, from the marks its runtime leaves.
 *
 * A mark can be missing or left over; the answer explains a refusal and picks
 * what to advise, nothing more.
 */
import type { HostFiles } from "./host-files.ts";

export type Container =
  | "docker"
  | "podman"
  | "kubernetes"
  | "lxc"
  | "systemd-nspawn"
  /** A sandbox such as writ's own. */
  | "bubblewrap"
  | "unknown";

/** Runtimes by a part of the control group path that they choose. */
const IN_PATH: readonly (readonly [string, Container])[] = [
  ["kubepods", "kubernetes"],
  ["libpod", "podman"],
  ["docker", "docker"],
  ["lxc", "lxc"],
];

/** The container around this process; nothing when there is no mark of one. */
export function findContainer(files: HostFiles): Container | undefined {
  // The innermost first: a sandbox shows the marks of what is around it.
  if (isSandbox(files)) return "bubblewrap";
  if (files.exists("/var/run/secrets/kubernetes.io")) return "kubernetes";
  if (files.exists("/run/.containerenv")) return "podman";
  const group = files.read("/proc/self/cgroup") ?? "";
  const inPath = IN_PATH.find(([part]) => group.includes(part));
  if (inPath !== undefined) return inPath[1];
  if (files.exists("/.dockerenv")) return "docker";
  return namedBySystemd(files.read("/run/systemd/container"));
}

/** The first process is bubblewrap, or hidden from a process that is filtered and gains no rights. */
function isSandbox(files: HostFiles): boolean {
  const first = files.read("/proc/1/comm");
  if (first !== undefined) return first === "bwrap";
  const status = files.read("/proc/self/status") ?? "";
  return /^NoNewPrivs:\s*1$/m.test(status) && /^Seccomp:\s*2$/m.test(status);
}

/** systemd writes down what it was told when it started inside; see container_interface. */
function namedBySystemd(name: string | undefined): Container | undefined {
  switch (name) {
    case undefined:
    case "wsl":
      return undefined;
    case "docker":
    case "podman":
    case "lxc":
    case "systemd-nspawn":
      return name;
    default:
      return name.startsWith("lxc") ? "lxc" : "unknown";
  }
}
