/**
 * Whether a crash of a command would leave its memory with the host.
 *
 * A pattern that begins with "|" names a program of the host, which the kernel
 * starts with the memory under every limit but 1, also under 0; a file is
 * written only under a limit that a file fits in. See core(5). From Linux 6.16
 * on, a pattern that begins with "@" names a socket, and no limit keeps the
 * kernel from it: nothing here can.
 */
import { readKernelText } from "./read-kernel-text.ts";

/** `possible` unless the host has neither a crash reporter nor a limit that lets files be written. */
export type CoreDumps = "none" | "possible";

/** Starts the next program under the one limit that stops files and crash reporters alike. */
export const WITHOUT_CORE_DUMPS = ["/usr/bin/prlimit", "--core=1:1"] as const;

let known: CoreDumps | undefined;

/** Asked once. What cannot be read counts as possible. */
export function probeCoreDumps(): CoreDumps {
  known ??= coreDumpsUnder(
    readKernelText("/proc/sys/kernel/core_pattern"),
    readKernelText("/proc/self/limits"),
  );
  return known;
}

/** The same for the texts of a host: its pattern, and the limits of this process. */
export function coreDumpsUnder(pattern: string | undefined, limits: string | undefined): CoreDumps {
  const soft = /^Max core file size +(\S+)/m.exec(limits ?? "")?.[1];
  const reported = pattern === undefined || pattern.startsWith("|");
  return soft === "0" && !reported ? "none" : "possible";
}
