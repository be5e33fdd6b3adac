/** What a worker is started as. */
export interface WorkerStart {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Long text of it comes as bytes; version 6 of the protocol, which others speak, knows only base64. */
  readonly hasFrames: boolean;
}

/** The protocol moves to descriptors of its own, so that no program prints into it. */
const WRAPPER = 'exec 3<&0 4>&1 0</dev/null 1>&2; exec "$@"';

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
    hasFrames: false,
  };
}

/** The same for a worker that is told to send long text as bytes. */
export function framedStart(argv: readonly string[]): WorkerStart {
  const start = workerStart(argv);
  return { ...start, env: { ...start.env, WRIT_REPL_FRAMES: "1" }, hasFrames: true };
}
