/**
 * What this process asks of its C library where Node has no word for it, by a package that is not everywhere.
 *
 * It is loaded beside other work, by a process that starts many commands; until then, and where it
 * cannot be had, everything goes the way that Node knows.
 */
import { createRequire } from "node:module";
import path from "node:path";
import { isMainThread } from "node:worker_threads";
import type Koffi from "koffi";
import { findNative } from "./find-native.ts";

/** Each gives back what C does: mostly an error number, or nought. Memory is handed over as a buffer. */
export interface Libc {
  readonly addressOf: (memory: Uint8Array) => bigint;
  readonly posix_spawn: (
    pid: Int32Array,
    path: Uint8Array,
    actions: Uint8Array,
    attributes: Uint8Array,
    argv: Uint8Array,
    envp: Uint8Array,
  ) => number;
  readonly posix_spawn_file_actions_init: (actions: Uint8Array) => number;
  readonly posix_spawn_file_actions_destroy: (actions: Uint8Array) => number;
  readonly posix_spawn_file_actions_adddup2: (
    actions: Uint8Array,
    from: number,
    to: number,
  ) => number;
  /** All from that one on. C libraries have it since 2021 (glibc 2.34); others are not used. */
  readonly posix_spawn_file_actions_addclosefrom_np: (actions: Uint8Array, fd: number) => number;
  readonly posix_spawn_file_actions_addchdir_np: (actions: Uint8Array, path: Uint8Array) => number;
  readonly posix_spawnattr_init: (attributes: Uint8Array) => number;
  readonly posix_spawnattr_setflags: (attributes: Uint8Array, flags: number) => number;
  readonly posix_spawnattr_setsigdefault: (attributes: Uint8Array, set: Uint8Array) => number;
  readonly posix_spawnattr_setsigmask: (attributes: Uint8Array, set: Uint8Array) => number;
  readonly fcntl: (fd: number, command: number, value: number) => number;
  readonly socketpair: (family: number, type: number, protocol: number, ends: Int32Array) => number;
  readonly pipe2: (ends: Int32Array, flags: number) => number;
  readonly waitpid: (pid: number, status: Int32Array, options: number) => number;
}

type Call = Exclude<keyof Libc, "addressOf">;

const CALLS: Readonly<Record<Call, string>> = {
  posix_spawn: "void *pid, void *path, void *actions, void *attributes, void *argv, void *envp",
  posix_spawn_file_actions_init: "void *actions",
  posix_spawn_file_actions_destroy: "void *actions",
  posix_spawn_file_actions_adddup2: "void *actions, int from, int to",
  posix_spawn_file_actions_addclosefrom_np: "void *actions, int fd",
  posix_spawn_file_actions_addchdir_np: "void *actions, void *path",
  posix_spawnattr_init: "void *attributes",
  posix_spawnattr_setflags: "void *attributes, int16_t flags",
  posix_spawnattr_setsigdefault: "void *attributes, void *set",
  posix_spawnattr_setsigmask: "void *attributes, void *set",
  fcntl: "int fd, int command, int value",
  socketpair: "int family, int type, int protocol, void *ends",
  pipe2: "void *ends, int flags",
  waitpid: "int pid, void *status, int options",
};

let loaded: Libc | undefined;
let loading: Promise<void> | undefined;

/** Nothing before it is loaded, and where it cannot be. */
export function libc(): Libc | undefined {
  return loaded;
}

/** Not while a command is being started: to load it takes some milliseconds. */
const REST_MS = 50;
let isComing = false;

/** For a process that has started a command and will start more. */
export function loadLibcSoon(): void {
  if (isComing) return;
  isComing = true;
  setTimeout(() => void loadLibc(), REST_MS).unref();
}

/** Once a process. Only on Linux, and only by a thread that is told of its children. */
export function loadLibc(): Promise<void> {
  loading ??= load().catch(() => {});
  return loading;
}

async function load(): Promise<void> {
  const isKnown = process.platform === "linux" && ["x64", "arm64"].includes(process.arch);
  const parts = ["koffi", "@koromix", `@koromix/koffi-${process.platform}-${process.arch}`];
  const folder = isKnown && isMainThread ? findNative(parts) : undefined;
  if (folder === undefined) return;
  const koffi: typeof Koffi = createRequire(import.meta.url)(path.join(folder, "koffi"));
  const library = koffi.load(null);
  const calls = Object.entries(CALLS).map(([name, parameters]) => [
    name,
    library.func(`int ${name}(${parameters})`),
  ]);
  loaded = { ...Object.fromEntries(calls), addressOf: koffi.address };
}
