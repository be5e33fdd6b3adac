/**
 * The system calls a sandboxed command may not make, and why.
 *
 * One row a call: its name, its number on x64 and on arm64 (none where the architecture lacks it)
 * and the reason. Most are privileged anyway; they are listed because the command may run as root,
 * and because a call that is never needed is a way into the kernel that need not exist. `socket`
 * and `socketpair` depend on the policy and are in `socket-steps.ts`.
 *
 * Numbers are those of `asm/unistd_64.h` and `asm-generic/unistd.h`; from 424 on they are the same.
 */
import type { Refusal } from "./action.ts";
import type { LinuxArch } from "./seccomp-abi.ts";

/** A test of one argument, of which the low 32 bits count; a pointer is tested as a whole. */
export type ArgumentTest =
  | { readonly argument: number; readonly anyBit: number }
  | { readonly argument: number; readonly mask?: number; readonly oneOf: readonly number[] }
  | { readonly argument: number; readonly noneOf: readonly number[] }
  | { readonly argument: number; readonly pointer: "given" };

/** One system call that is refused, always or for some arguments. */
export interface DeniedCall {
  readonly name: string;
  readonly numbers: Readonly<Partial<Record<LinuxArch, number>>>;
  readonly errno: Refusal;
  readonly why: string;
  /** Refused only where all of these hold. */
  readonly when?: readonly ArgumentTest[];
}

type Row = readonly [
  name: string,
  x64: number | undefined,
  arm64: number | undefined,
  why: string,
  special?: Partial<Pick<DeniedCall, "errno" | "when">>,
];

/** The caller goes on as on a kernel that lacks the call, with an older one. */
const ABSENT = { errno: "ENOSYS" } as const;

/** CLONE_NEWNS, -CGROUP, -UTS, -IPC, -USER, -PID and -NET; bit 7 is part of the signal here. */
const NEW_NAMESPACE = { when: [{ argument: 0, anyBit: 0x7e02_0000 }] } as const;

/**
 * S_IFBLK and S_IFCHR within S_IFMT, and a plain file, by its type or by none, with S_ISUID; pipes,
 * sockets and other plain files are allowed.
 */
const deviceOrSetUser = (argument: number) => ({
  when: [
    {
      argument,
      mask: 0o174000,
      oneOf: [0o060000, 0o064000, 0o020000, 0o024000, 0o104000, 0o004000],
    },
  ],
});

/**
 * TIOCSTI, TIOCLINUX and TIOCSETD, and TIOCEXCL and TCXONC, which last beyond the command: nobody else could
 * open the terminal, or nothing would be seen on it. The same on both architectures.
 */
const TERMINAL_CONTROL = [0x5412, 0x541c, 0x5423, 0x540c, 0x540a];

/**
 * BTRFS_IOC_SNAP_CREATE, BCH_IOCTL_SUBVOLUME_CREATE (bcachefs) and their second versions: whoever owns a subvolume copies it into a writable
 * folder by a descriptor of its top, and with it what lies under masks, which no mount covers there.
 */
const SNAPSHOT = [0x5000_9401, 0x5000_9417, 0x4020_bc10, 0x4030_bc1d];

/**
 * BTRFS_IOC_SNAP_DESTROY, BCH_IOCTL_SUBVOLUME_DESTROY and their second versions: what is mounted on a subvolume keeps nobody from
 * destroying it, and where btrfs lets its users do so, its second finds any of them by number.
 */
const DESTROY = [0x5000_940f, 0x5000_943f, 0x4020_bc11, 0x4030_bc1e];

/** FS_IOC_REMOVE_ENCRYPTION_KEY: locks folders of the caller, by any descriptor of their file system. */
const REMOVE_KEY = [0xc040_6618];

const CONTROL = {
  when: [{ argument: 1, oneOf: [...TERMINAL_CONTROL, ...SNAPSHOT, ...DESTROY, ...REMOVE_KEY] }],
} as const;

/**
 * F_SETLEASE and, from Linux 6.19 on, F_SETDELEG: to read a file of one's own is enough for it, and
 * whoever opens that file then waits until it is given back, or for 45 seconds.
 */
const LEASE = { when: [{ argument: 1, oneOf: [1024, 1040] }] } as const;

/**
 * All but PER_LINUX, ADDR_NO_RANDOMIZE and the query: sanitizers and `setarch -R` start programs
 * again without randomization, which weakens nobody else.
 */
const ODD_PERSONALITY = { when: [{ argument: 0, noneOf: [0, 0x0004_0000, 0xffff_ffff] }] } as const;

/** SECCOMP_FILTER_FLAG_NEW_LISTENER; any other filter may be added. */
const NEW_LISTENER = { when: [{ argument: 1, anyBit: 1 << 3 }] } as const;

/**
 * Any change of RLIMIT_CORE; asking for it is allowed. The kernel hands a crashed program to a
 * program of the host under every limit but 1, so the command must keep the one it was given. It
 * is told that the change was made: `gpg` and `ssh-agent` end when they cannot set the
 * limit to 0, and what they want, no file with their memory in it, is so under both limits.
 */
const CORE = { argument: 0, oneOf: [4] } as const;
const setLimit = { errno: "SUCCESS", when: [CORE] } as const;
const setLimitOf = {
  errno: "SUCCESS",
  when: [
    { ...CORE, argument: 1 },
    { argument: 2, pointer: "given" },
  ],
} as const;

/** S_ISUID: mounts of the sandbox ignore it, the host does not. S_ISGID stays, folders are shared by it. */
const setUser = (argument: number) => ({ when: [{ argument, anyBit: 0o4000 }] });

/** The same for a file that is made: O_CREAT or O_TMPFILE, without which there is no mode. */
const makeSetUser = (flags: number) => ({
  when: [
    { argument: flags, anyBit: 0o20000100 },
    { argument: flags + 1, anyBit: 0o4000 },
  ],
});

const TABLE: readonly Row[] = [
  ["clone", 56, 220, "a new user namespace has the power to unmount masks", NEW_NAMESPACE],
  ["clone3", 435, 435, "its flags are in memory, where no filter sees them", ABSENT],
  ["unshare", 272, 97, "makes new namespaces"],
  ["setns", 308, 268, "enters namespaces of other processes"],

  ["mount", 165, 40, "covers paths, or reveals what a mask covers"],
  ["umount2", 166, 39, "takes masks away"],
  ["pivot_root", 155, 41, "changes what all paths mean"],
  ["chroot", 161, 51, "changes what all paths mean"],
  ["open_tree", 428, 428, "copies mounts without what is mounted below them"],
  ["open_tree_attr", 467, 467, "copies mounts and changes their flags"],
  ["move_mount", 429, 429, "attaches mounts"],
  ["fsopen", 430, 430, "makes file systems"],
  ["fsconfig", 431, 431, "makes file systems"],
  ["fsmount", 432, 432, "makes file systems"],
  ["fspick", 433, 433, "changes file systems"],
  ["mount_setattr", 442, 442, "makes read-only mounts writable"],
  ["statmount", 457, 457, "shows mounts even where /proc is masked", ABSENT],
  ["listmount", 458, 458, "shows mounts even where /proc is masked", ABSENT],
  ["listns", 470, 470, "shows namespaces beyond the sandbox", ABSENT],
  ["open_by_handle_at", 304, 265, "opens files by number, past every path"],
  ["name_to_handle_at", 303, 264, "gives the numbers that open_by_handle_at takes"],
  ["mknod", 133, undefined, "a device file leads to the host's disks", deviceOrSetUser(1)],
  ["mknodat", 259, 33, "a device file leads to the host's disks", deviceOrSetUser(2)],

  ["ptrace", 101, 117, "controls other processes, and rewrites their calls on old kernels"],
  ["process_vm_readv", 310, 270, "reads the memory of other processes"],
  ["process_vm_writev", 311, 271, "writes the memory of other processes"],
  ["process_madvise", 440, 440, "pages out the memory of other processes"],
  ["pidfd_getfd", 438, 438, "takes descriptors of other processes"],
  ["kcmp", 312, 272, "tells where the kernel keeps objects of other processes"],

  ["io_uring_setup", 425, 425, "a ring opens files and sockets without system calls to filter"],
  ["io_uring_enter", 426, 426, "uses an inherited ring"],
  ["io_uring_register", 427, 427, "uses an inherited ring"],

  ["io_setup", 206, 0, "takes the queues that all of the host shares", ABSENT],
  ["fanotify_init", 300, 262, "takes the groups of its user, of which scanners of root need one"],

  ["keyctl", 250, 219, "reads and changes keys of the caller's session"],
  ["add_key", 248, 217, "adds keys to the caller's session"],
  ["request_key", 249, 218, "has the host's key helper run"],

  ["bpf", 321, 280, "loads code into the kernel"],
  ["perf_event_open", 298, 241, "watches other processes and the kernel"],
  ["userfaultfd", 323, 282, "stops the kernel in the middle of a copy, as exploits need"],
  ["memfd_secret", 447, 447, "memory that no supervisor can look into"],
  ["seccomp", 317, 277, "a listener answers for other processes", NEW_LISTENER],
  ["personality", 135, 92, "switches protections of memory off", ODD_PERSONALITY],
  [
    "ioctl",
    16,
    29,
    "types into the terminal, copies or destroys what masks cover, locks folders",
    CONTROL,
  ],
  ["fcntl", 72, 25, "keeps the host from opening its files", LEASE],
  ["setrlimit", 160, 164, "has the host's crash reporter run", setLimit],
  ["prlimit64", 302, 261, "has the host's crash reporter run", setLimitOf],
  ["vhangup", 153, 58, "takes the terminal from its owner"],

  ["kexec_load", 246, 104, "replaces the kernel"],
  ["kexec_file_load", 320, 294, "replaces the kernel"],
  ["init_module", 175, 105, "loads code into the kernel"],
  ["finit_module", 313, 273, "loads code into the kernel"],
  ["delete_module", 176, 106, "takes code out of the kernel"],
  ["reboot", 169, 142, "stops the host"],
  ["swapon", 167, 224, "changes the host's memory"],
  ["swapoff", 168, 225, "changes the host's memory"],
  ["acct", 163, 89, "has the kernel write to a file on every exit"],
  ["quotactl", 179, 60, "changes quotas of the host's file systems"],
  ["quotactl_fd", 443, 443, "changes quotas of the host's file systems"],
  ["settimeofday", 164, 170, "changes the host's clock"],
  ["clock_settime", 227, 112, "changes the host's clock"],
  ["adjtimex", 159, 171, "changes the host's clock"],
  ["clock_adjtime", 305, 266, "changes the host's clock"],
  ["sethostname", 170, 161, "changes the host's name where it is shared"],
  ["setdomainname", 171, 162, "changes the host's name where it is shared"],
  ["iopl", 172, undefined, "talks to devices directly"],
  ["ioperm", 173, undefined, "talks to devices directly"],
  ["syslog", 103, 116, "reads the kernel's log, with addresses and names of the host"],
  ["lookup_dcookie", 212, 18, "finds paths that are hidden"],
  ["chmod", 90, undefined, "a program that runs as this user for everybody", setUser(1)],
  ["fchmod", 91, 52, "a program that runs as this user for everybody", setUser(1)],
  ["fchmodat", 268, 53, "a program that runs as this user for everybody", setUser(2)],
  ["fchmodat2", 452, 452, "a program that runs as this user for everybody", setUser(2)],
  ["creat", 85, undefined, "a program that runs as this user for everybody", setUser(1)],
  ["open", 2, undefined, "a program that runs as this user for everybody", makeSetUser(1)],
  ["openat", 257, 56, "a program that runs as this user for everybody", makeSetUser(2)],
  ["openat2", 437, 437, "its mode is in memory, where no filter sees it", ABSENT],

  ["nfsservctl", 180, 42, "a server interface that kernels no longer have"],
];

export const DENIED_CALLS: readonly DeniedCall[] = TABLE.map(
  ([name, x64, arm64, why, special]) => ({
    name,
    numbers: { ...(x64 !== undefined && { x64 }), ...(arm64 !== undefined && { arm64 }) },
    errno: "EPERM",
    why,
    ...special,
  }),
);
