/**
 * What of the host no command sees, whatever its profile says.
 *
 * The files of /proc that speak of the host rather than of the command's own
 * processes, and the kernel's file systems wherever else they are mounted; and, for a command that may
 * make unix sockets of its own, every place where a daemon of the host might be listening.
 */
import type { AbsolutePath, BoundProfile } from "../../policy/index.ts";
import type { FileFacts } from "../files/file-facts.ts";

/** Keys that the caller's session holds. */
const KEYS = ["/proc/keys", "/proc/key-users"];

/**
 * Owned by root and closed to others. A command of a root caller is their owner and needs no
 * capability to use them, and one of them restarts the host.
 */
const ROOT_ONLY = [
  "/proc/sysrq-trigger",
  "/proc/kcore",
  "/proc/kmsg",
  "/proc/kpagecgroup",
  "/proc/kpagecount",
  "/proc/kpageflags",
  "/proc/timer_list",
  "/proc/slabinfo",
  "/proc/vmallocinfo",
  "/proc/kallsyms",
  "/proc/vmcore",
  "/proc/mtrr",
  "/proc/profile",
  "/proc/latency_stats",
  "/proc/lock_stat",
  "/proc/timer_stats",
];

/**
 * Where drivers put files that their owner may write: to take a disk away, to set what wakes the
 * host, to switch messages of the kernel on. Which there are depends on the host. `/proc/bus` and
 * `/proc/irq` bubblewrap covers itself.
 */
const OF_DRIVERS = [
  "/proc/acpi",
  "/proc/asound",
  "/proc/driver",
  "/proc/dynamic_debug",
  "/proc/fs",
  "/proc/ide",
  "/proc/scsi",
];

/** Where daemons put their sockets. */
const RUNTIME_FOLDERS = ["/run", "/tmp/.X11-unix", "/tmp/.ICE-unix", "/tmp/.font-unix"];

export interface UnseenQuestion {
  readonly profile: BoundProfile;
  readonly uid: number;
  readonly files: FileFacts;
}

/** The paths that exist of all these. Folders of /proc stay to be read, and only that. */
export function unseenPaths({ profile, uid, files }: UnseenQuestion): AbsolutePath[] {
  const ofKernel = uid === 0 ? [...KEYS, ...ROOT_ONLY, ...OF_DRIVERS] : KEYS;
  const ofDaemons = hasOwnSockets(profile) ? hostSockets(files) : [];
  const candidates = [...ofKernel, ...files.kernelMounts(), ...ofDaemons];
  return (candidates as AbsolutePath[]).filter((path) => files.kindOf(path) !== "missing");
}

/** In the host's network the filter refuses them all: there the host's could not be told apart. */
function hasOwnSockets({ unixSockets, network }: BoundProfile): boolean {
  return unixSockets === "private" && network.kind === "restricted";
}

function hostSockets(files: FileFacts): string[] {
  // Also those in the folders: a rule may open one of these again.
  return [...RUNTIME_FOLDERS, ...files.sockets()];
}
