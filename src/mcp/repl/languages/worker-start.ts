import type { Speech } from "../protocol/link.ts";

/** What a worker is started as. */
export interface WorkerStart {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly speech: Speech;
}

/** The protocol moves to descriptors of its own, so that no program prints into it. */
const WRAPPER = 'exec 3<&0 4>&1 0</dev/null 1>&2; exec "$@"';

/** The number of the system call `read`. */
const READ_CALLS: Readonly<Record<string, string>> = { x64: "0", arm64: "63" };

/** Starts a program that speaks the protocol of workers, in the folder of its sandbox or another. */
export function workerStart(
  argv: readonly string[],
  env: WorkerStart["env"] = {},
  folder?: string,
): WorkerStart {
  const script = folder === undefined ? WRAPPER : `cd -- "$0" && { ${WRAPPER}; }`;
  return {
    argv: ["/bin/sh", "-c", script, folder ?? "worker", ...argv],
    env: { ...env, MCP_REPL_IPC_READ_FD: "3", MCP_REPL_IPC_WRITE_FD: "4" },
    speech: "messages",
  };
}

/** Documents are handed over in pipes: two, which cost no program. */
const PIPES = "exec 5<<END 6<<END\nEND\nEND\n";

/** The same with two pipes, for a worker whose interpreter can make none. */
export function pipedStart(argv: readonly string[]): WorkerStart {
  const { env, speech } = workerStart(argv);
  return {
    argv: ["/bin/sh", "-c", PIPES + WRAPPER, "worker", ...argv],
    env: { ...env, WRIT_REPL_PIPES: "5 6" },
    speech,
  };
}

/** The same for a worker that is told to send long text as bytes. */
export function framedStart(argv: readonly string[]): WorkerStart {
  const start = workerStart(argv);
  return { ...start, env: { ...start.env, WRIT_REPL_FRAMES: "1" }, speech: "frames" };
}

/** A shell, by a keeper of ours that bash runs; it moves nothing, its streams are those of the sandbox. */
export function keptShellStart(bash: string, keeper: string): WorkerStart {
  // Privileged: what the environment has for shells is for the one that it keeps.
  const argv = [bash, "--noprofile", "--norc", "-p", keeper, READ_CALLS[process.arch] ?? "none"];
  return { argv, env: {}, speech: "shell" };
}
