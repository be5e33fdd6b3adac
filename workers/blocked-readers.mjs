/**
 * Who waits for input, as Linux tells it.
 *
 * A shell does not announce that `read`, or a program it runs, waits on its
 * standard input. The kernel does: `/proc/<pid>/syscall` names the system call
 * a process sleeps in and its first argument, the descriptor. A process that
 * sleeps in `read` on a pipe has found it empty.
 */
import { readFileSync, readlinkSync } from "node:fs";

const READ = { x64: 0, arm64: 63 }[process.arch];

/** True where `pid` or a descendant of it sleeps in a read of the pipe with this inode. */
export function readsPipe(pid, inode) {
  const target = `pipe:[${inode}]`;
  return [pid, ...descendants(pid)].some((one) => {
    const fd = sleepingRead(one);
    return fd !== undefined && linkOf(one, fd) === target;
  });
}

/** True where a shell that takes its commands from a socket sleeps until it gets one. */
export function awaitsCommand(pid) {
  return sleepingRead(pid) === 0 && linkOf(pid, 0).startsWith("socket:");
}

/** The descriptor that `pid` sleeps in a read of; undefined where it does anything else. */
function sleepingRead(pid) {
  const [call, fd] = textOf(`/proc/${pid}/syscall`).split(" ");
  return call !== "" && Number(call) === READ ? Number(fd) : undefined;
}

/**
 * The process groups an interrupt must reach: the shell's own, and where it has
 * job control that of the child it started last, which is the one it waits for.
 */
export function foregroundGroups(pid) {
  const last = children(pid)
    .map((child) => statOf(child))
    .sort((a, b) => a.started - b.started)
    .at(-1);
  return last && last.group > 0 && last.group !== pid ? [pid, last.group] : [pid];
}

/** Every process that `pid` started, and that those started. */
export function descendants(pid) {
  return children(pid).flatMap((child) => [child, ...descendants(child)]);
}

function children(pid) {
  return textOf(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean).map(Number);
}

function statOf(pid) {
  // The name, in parentheses, may itself hold spaces and parentheses.
  const fields = textOf(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, "")
    .split(" ");
  return { group: Number(fields[2] ?? 0), started: Number(fields[19] ?? 0) };
}

function linkOf(pid, fd) {
  try {
    return readlinkSync(`/proc/${pid}/fd/${fd}`);
  } catch {
    return "";
  }
}

function textOf(file) {
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    return "";
  }
}
