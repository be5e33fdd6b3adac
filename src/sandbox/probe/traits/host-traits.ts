/**
 * What kind of host this is, from the texts it describes itself with.
 *
 * Traits explain why a probe failed and pick the narrowest way out. None of them
 * decides whether a command can be confined: that is always tried.
 */
import { type Container, findContainer } from "./find-container.ts";
import type { HostFiles } from "./host-files.ts";
import { parseMounts, propagationOf } from "./parse-mounts.ts";
import { type Distribution, parseOsRelease } from "./parse-os-release.ts";

export interface HostTraits {
  readonly uid: number;
  /** As `uname -r` prints it. */
  readonly kernel: string;
  readonly distribution: Distribution;
  readonly wsl: 1 | 2 | undefined;
  readonly container: Container | undefined;
  readonly systemd: boolean;
  /** A system call filter is already on this process: it lives in a container or a sandbox. */
  readonly filtered: boolean;
  /** Under an AppArmor profile that is not "unconfined". */
  readonly profiled: boolean;
  /** Parts of `/proc` are covered, so the kernel lets nobody mount a new one in a user namespace. */
  readonly procCovered: boolean;
  /** AppArmor takes the capabilities of user namespaces that ordinary users make. */
  readonly apparmorRestricts: boolean;
  /** Kernel settings that are zero and switch a kind of namespace off. */
  readonly switchedOff: readonly string[];
  readonly rootPropagation: string;
  readonly corePattern: string;
  readonly landlock: string;
}

const SWITCHES = [
  "kernel.unprivileged_userns_clone",
  ...["user", "net", "pid", "ipc", "uts", "cgroup", "mnt"].map(
    (kind) => `user.max_${kind}_namespaces`,
  ),
];

/** Reads the traits of the host that has these files. */
export function hostTraits(files: HostFiles, uid: number): HostTraits {
  const version = files.read("/proc/version") ?? "";
  const kernel = /^Linux version (\S+)/.exec(version)?.[1] ?? "unknown";
  const mounts = parseMounts(files.read("/proc/self/mountinfo") ?? "");
  const profile = files.read("/proc/self/attr/current")?.replace(/\0/g, "") || "unconfined";
  return {
    uid,
    kernel,
    distribution: parseOsRelease(files.read("/etc/os-release")),
    wsl: wslIn(kernel),
    container: findContainer(files),
    systemd: files.exists("/run/systemd/system"),
    filtered: /^Seccomp:\s*2$/m.test(files.read("/proc/self/status") ?? ""),
    profiled: profile !== "unconfined",
    procCovered: mounts.some(
      ({ point, type }) =>
        point.startsWith("/proc/") && type !== "binfmt_misc" && type !== "autofs",
    ),
    apparmorRestricts: settingOf("kernel.apparmor_restrict_unprivileged_userns", files) === "1",
    switchedOff: SWITCHES.filter((name) => settingOf(name, files) === "0"),
    rootPropagation: propagationOf("/", mounts) ?? "unknown",
    corePattern: settingOf("kernel.core_pattern", files) ?? "unknown",
    landlock: landlockOf(files.read("/sys/kernel/security/lsm"), kernel),
  };
}

function settingOf(name: string, files: HostFiles): string | undefined {
  return files.read(`/proc/sys/${name.replace(".", "/")}`);
}

/** Version 1 has no kernel of its own and signs with a capital letter. */
function wslIn(kernel: string): 1 | 2 | undefined {
  if (kernel.endsWith("-Microsoft")) return 1;
  return /microsoft/i.test(kernel) ? 2 : undefined;
}

/** The first kernel of each ABI from 1 on; see landlock(7). A distribution may have ported more back. */
const LANDLOCK_KERNELS = [5.13, 5.19, 6.02, 6.07, 6.1, 6.12, 6.15];

function landlockOf(modules: string | undefined, kernel: string): string {
  if (modules !== undefined && !modules.split(",").includes("landlock")) return "not enabled";
  const [, major = "0", minor = "0"] = /^(\d+)\.(\d+)/.exec(kernel) ?? [];
  const version = Number(`${major}.${minor.padStart(2, "0")}`);
  const abi = LANDLOCK_KERNELS.filter((first) => version >= first).length;
  if (abi === 0) return "too old a kernel";
  const known = modules === undefined ? ", not known whether enabled" : "";
  return `ABI ${abi} by kernel version${known}`;
}
