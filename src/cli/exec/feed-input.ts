/** What is typed here, on its way to a command elsewhere. */
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { ExecError, isLeftUnread, type RunningProcess } from "../../exec/index.ts";

/** Who hears what came in the way. */
export interface FeedFaults {
  /** It could not be read any further here; the command gets its end. */
  unread(error: Error): void;
  /** It could not be handed on: the command lacks some of it. */
  lost(error: Error): void;
}

type Fed = Pick<RunningProcess, "write" | "closeInput">;

/** Hands on what comes in until its end, or until what is returned is called. */
export function feedInput(
  input: Readable & { unref?(): void },
  running: Fed,
  faults: FeedFaults,
): () => void {
  const stopped = new AbortController();
  const { signal } = stopped;
  feed(typed(input, signal, faults), running, signal).catch((error) => {
    // Where the connection is lost, whoever follows the command is told so.
    const isTold = error instanceof ExecError && error.code === "disconnected";
    if (!isTold && !stopped.signal.aborted) faults.lost(error);
  });
  return () => {
    stopped.abort();
    input.unref?.();
    input.destroy();
  };
}

async function feed(pieces: AsyncIterable<Uint8Array>, running: Fed, stopped: AbortSignal) {
  for await (const piece of pieces) if (!(await handOn(piece, running, stopped))) return;
  if (!stopped.aborted) await running.closeInput();
}

async function* typed(
  input: Readable,
  stopped: AbortSignal,
  { unread }: FeedFaults,
): AsyncGenerator<Uint8Array> {
  try {
    yield* input;
  } catch (error) {
    if (!stopped.aborted) unread(error as Error);
  }
}

const FIRST_PAUSE_MS = 50;
const LAST_PAUSE_MS = 1000;

/** False when nobody takes any more. A command may let its input lie for as long as it likes, as it may here. */
async function handOn(chunk: Uint8Array, running: Fed, stopped: AbortSignal) {
  for (let pause = FIRST_PAUSE_MS; !stopped.aborted; pause = Math.min(2 * pause, LAST_PAUSE_MS)) {
    try {
      return await running.write(chunk);
    } catch (error) {
      if (!isLeftUnread(error)) throw error;
    }
    await sleep(pause, undefined, { ref: false });
  }
  return false;
}
