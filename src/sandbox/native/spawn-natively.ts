/**
 * Starts a program without a copy of this process.
 *
 * Node forks, and a fork copies the tables of all memory: half a millisecond for
 * a small process, fifteen for one of 400 MB, and nothing else goes on
 * meanwhile. posix_spawn(3) borrows the memory until the program is loaded, which
 * takes a fifth of a millisecond for any process.
 */
import type { SpawnOptions } from "node:child_process";
import { getSystemErrorName } from "node:util";
import type { Child, ChildStream } from "../run/child.ts";
import { attributesFor, STRUCTURE_BYTES } from "./attributes-for.ts";
import { ChildEnds, FAILED } from "./child-ends.ts";
import type { Libc } from "./libc.ts";
import { listFor, textFor } from "./list-for.ts";
import { NativeChild } from "./native-child.ts";
import { planDescriptors } from "./plan-descriptors.ts";

/** What a launcher hands on: a pipe, a descriptor, or nothing. */
export interface NativeStart {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdio: readonly ("pipe" | "ignore" | number)[];
  readonly detached: boolean;
}

/** The start, where it is of a kind that can be made here; nothing for one that is left to Node. */
export function nativeStartOf(
  program: string,
  args: readonly string[],
  { cwd, env, stdio, detached = false }: SpawnOptions,
): NativeStart | undefined {
  const isPlain =
    program.startsWith("/") && typeof cwd === "string" && env !== undefined && Array.isArray(stdio);
  if (!isPlain || !stdio.every(isKnown)) return undefined;
  const variables = Object.entries(env).filter(
    (one): one is [string, string] => one[1] !== undefined,
  );
  const texts = [program, cwd, ...args, ...variables.flat()];
  // C would take the part before it for the whole. Node refuses it, with a sentence.
  if (texts.some((text) => text.includes("\0"))) return undefined;
  return { program, args, cwd, env: Object.fromEntries(variables), stdio, detached };
}

function isKnown(one: unknown): one is NativeStart["stdio"][number] {
  return one === "pipe" || one === "ignore" || typeof one === "number";
}

/**
 * Starts it. Nothing where that cannot even be tried here, or Node might do what the kernel does not,
 * and then nothing was started. What Node tells by an event is told so here, too.
 */
export function spawnNatively(libc: Libc, start: NativeStart): Child | undefined {
  const ends = new ChildEnds(libc);
  try {
    const sources = start.stdio.map((one, index) => ends.sourceFor(one, index));
    if (sources.includes(FAILED)) return undefined;
    for (const fd of sources.slice(0, 3)) if (fd !== undefined) letWait(libc, fd);
    const pid = new Int32Array(1);
    const fault = posixSpawn(libc, { ...start, sources, pid });
    if (fault !== 0 && !TOLD.has(nameOf(fault))) return undefined;
    return fault === 0
      ? new NativeChild(libc, pid[0], ends.takeStreams())
      : neverStarted(libc, start, { fault, stdio: ends.takeStreams() });
  } finally {
    ends.close();
  }
}

/** See fcntl(2). */
const [F_GETFL, F_SETFL, O_NONBLOCK] = [3, 4, 0o4000];

/** Programs expect their first three to wait for what is not there yet; Node sees to that, too. */
function letWait(libc: Libc, fd: number): void {
  const flags = libc.fcntl(fd, F_GETFL, 0);
  if ((flags & O_NONBLOCK) !== 0) libc.fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);
}

/** Faults that Node tells by an event. The others it throws, and a script without a first line it gives to a shell. */
const TOLD = new Set(["ENOENT", "EACCES", "EAGAIN"]);

function nameOf(fault: number): string {
  return fault === 0 ? "" : getSystemErrorName(-fault);
}

interface Spawn extends NativeStart {
  readonly sources: readonly (number | undefined)[];
  /** Where its number is put. */
  readonly pid: Int32Array;
}

function posixSpawn(
  libc: Libc,
  { program, args, cwd, env, sources, detached, pid }: Spawn,
): number {
  const actions = Buffer.alloc(STRUCTURE_BYTES);
  libc.posix_spawn_file_actions_init(actions);
  try {
    let fault = 0;
    for (const step of planDescriptors(sources)) {
      fault ||=
        "closeFrom" in step
          ? libc.posix_spawn_file_actions_addclosefrom_np(actions, step.closeFrom)
          : libc.posix_spawn_file_actions_adddup2(actions, step.from, step.to);
    }
    fault ||= libc.posix_spawn_file_actions_addchdir_np(actions, textFor(cwd));
    const argv = listFor(libc, [program, ...args]);
    const envp = listFor(
      libc,
      Object.entries(env).map(([name, value]) => `${name}=${value}`),
    );
    const attributes = attributesFor(libc, detached);
    return fault || libc.posix_spawn(pid, textFor(program), actions, attributes, argv, envp);
  } finally {
    libc.posix_spawn_file_actions_destroy(actions);
  }
}

/** As Node tells it: by an event, to whoever listens by then. */
function neverStarted(
  libc: Libc,
  { program }: NativeStart,
  { fault, stdio }: { fault: number; stdio: readonly ChildStream[] },
): Child {
  const child = new NativeChild(libc, undefined, stdio);
  const [code, syscall] = [nameOf(fault), `spawn ${program}`];
  const error = Object.assign(new Error(`${syscall} ${code}`), { code, errno: -fault, syscall });
  process.nextTick(() => child.emit("error", error));
  return child;
}
