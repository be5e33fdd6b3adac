import type { ProcessEvent, ProcessExit, RunningProcess } from "../../../../src/exec/index.ts";

/** All that a process told. */
export interface Collected {
  readonly stdout: string;
  readonly stderr: string;
  readonly pty: string;
  readonly exit: ProcessExit;
}

/** Reads a process to its end; throws unless its events are numbered without a gap and end with the close. */
export async function collected(
  process: RunningProcess,
  seen: (event: ProcessEvent) => void = () => {},
): Promise<Collected> {
  const chunks: Record<"stdout" | "stderr" | "pty", Uint8Array[]> = {
    stdout: [],
    stderr: [],
    pty: [],
  };
  let exit: ProcessExit | undefined;
  let last = 0;
  let kind = "nothing";
  for await (const event of process.events) {
    if (event.seq !== last + 1) throw new Error(`number ${event.seq} follows ${last}`);
    ({ seq: last, kind } = event);
    if (event.kind === "output") chunks[event.stream].push(event.chunk);
    if (event.kind === "exited") exit = event.exit;
    seen(event);
  }
  if (exit === undefined || kind !== "closed") throw new Error(`it ended with ${kind}`);
  return {
    stdout: Buffer.concat(chunks.stdout).toString(),
    stderr: Buffer.concat(chunks.stderr).toString(),
    pty: Buffer.concat(chunks.pty).toString(),
    exit,
  };
}
