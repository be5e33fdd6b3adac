/** System calls that no program of a bare host makes for us, by number, as perl programs. */
import { perl } from "./path-attempts.ts";

const NUMBERS = {
  x64: {
    ...{ linkat: 265, renameat2: 316, setxattr: 188, fallocate: 285, copy_file_range: 326 },
    ...{ open_by_handle_at: 304, unshare: 272, setns: 308, clone: 56, clone3: 435, chroot: 161 },
    ...{ mount: 165, umount2: 166, pivot_root: 155, mount_setattr: 442, getpid: 39, mknodat: 259 },
    ...{ mmap: 9, read: 0 },
  },
  arm64: {
    ...{ linkat: 37, renameat2: 276, setxattr: 5, fallocate: 47, copy_file_range: 285 },
    ...{ open_by_handle_at: 265, unshare: 97, setns: 268, clone: 220, clone3: 435, chroot: 51 },
    ...{ mount: 40, umount2: 39, pivot_root: 41, mount_setattr: 442, getpid: 172, mknodat: 33 },
    ...{ mmap: 222, read: 63 },
  },
} as const;

export const CALL = {
  ...NUMBERS[process.arch === "arm64" ? "arm64" : "x64"],
  ...{ open_tree: 428, move_mount: 429, fsopen: 430, fsmount: 432, fspick: 433 },
};

/** From the current folder. */
const HERE = -100;

/** Swaps two names at once, whatever they are. */
export function exchange(a: string, b: string): string {
  return perl(
    `exit(syscall(${CALL.renameat2}, ${HERE}, my $a = q(${a}), ${HERE}, my $b = q(${b}), 2) ? 1 : 0)`,
  );
}

/** Links a file by the descriptor it was opened on. */
export function linkOpened(file: string, name: string): string {
  const from = 'my $from = "/proc/self/fd/" . fileno(F)';
  return perl(
    `sysopen(F, q(${file}), O_RDONLY) or exit 1; exit(syscall(${CALL.linkat}, ${HERE}, ${from}, ${HERE}, my $to = q(${name}), 0x400) ? 1 : 0)`,
  );
}

/** Writes to a file by its number on the disk, which needs no path; `handle` as hexadecimal digits. */
export function writeByHandle(handle: string, mountedAt: string): string {
  return perl(
    `sysopen(M, q(${mountedAt}), O_RDONLY) or exit 1; my $fd = syscall(${CALL.open_by_handle_at}, fileno(M), my $h = pack("H*", q(${handle})), O_WRONLY); exit 1 if $fd < 0; open(F, ">&=", $fd); syswrite(F, "x"); exit 0`,
  );
}

export function setAttribute(file: string): string {
  return perl(
    `exit(syscall(${CALL.setxattr}, my $f = q(${file}), my $n = "user.x", my $v = "1", 1, 0) ? 1 : 0)`,
  );
}

/** FS_IOC_SETFLAGS with the flag that forbids all change. */
export function makeImmutable(file: string): string {
  return perl(
    `sysopen(F, q(${file}), O_RDONLY) or exit 1; exit(ioctl(F, 0x40086602, my $f = pack("L", 0x10)) ? 0 : 1)`,
  );
}

/** Puts the contents of one file into another in the kernel: FICLONE, then copy_file_range. */
export function copyInKernel(from: string, to: string): string {
  return perl(
    `sysopen(A, q(${from}), O_RDONLY) or exit 1; my $read = !sysopen(B, q(${to}), O_RDWR) && sysopen(B, q(${to}), O_RDONLY); ioctl(B, 0x40049409, fileno(A)) and exit 0; my $n = syscall(${CALL.copy_file_range}, fileno(A), 0, fileno(B), 0, 1, 0); exit($n > 0 ? 0 : 1)`,
  );
}

type Argument = number | string | { readonly zeros: number };

/** One call; it worked when the kernel did it. */
export function call(name: keyof typeof CALL, ...args: readonly Argument[]): string {
  const given = args.map((one, index) => {
    if (typeof one === "number") return String(one);
    const value = typeof one === "string" ? `q(${one})` : `"\\0" x ${one.zeros}`;
    return `my $v${index} = ${value}`;
  });
  return perl(`exit(syscall(${[CALL[name], ...given].join(", ")}) < 0 ? 1 : 0)`);
}
