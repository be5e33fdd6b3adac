/**
 * Where a filter finds what, and the numbers that name an architecture.
 *
 * See `linux/seccomp.h` and `linux/audit.h`. Both architectures are little-endian. Neither has the
 * multiplexers `socketcall` and `ipc`: those belong to 32-bit ABIs, whose processes are killed.
 */
export type LinuxArch = "x64" | "arm64";

/** AUDIT_ARCH_X86_64 and AUDIT_ARCH_AARCH64; x32 calls carry the first one, too. */
export const AUDIT_ARCH = { x64: 0xc000_003e, arm64: 0xc000_00b7 } as const;

/** Offsets in `struct seccomp_data`. */
export const SECCOMP_ABI = { number: 0, arch: 4, arguments: 16, bytes: 64 } as const;

/**
 * The offset of the low half of an argument.
 *
 * All numbers tested here are 32-bit `int`s to the kernel, which drops the upper half of the
 * register; a filter that compared it could be dodged by setting a bit there.
 */
export function argumentOffset(index: number): number {
  return SECCOMP_ABI.arguments + 8 * index;
}

/** The offset of the upper half, which only a pointer has to be asked for. */
export function upperHalfOffset(index: number): number {
  return argumentOffset(index) + 4;
}
