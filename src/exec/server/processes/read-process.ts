/** Answers `process/read`: what is kept after a number, or a wait until there is something. */
import type { z } from "zod";
import { RpcError } from "../../../rpc/index.ts";
import type { processMethods } from "../../protocol/process-methods.ts";
import type { RetainedChunk, RetainedOutput } from "../sessions/retained-output.ts";
import type { ServedProcess } from "../sessions/served-process.ts";
import { toldReceipt } from "../told-receipt.ts";

type ReadParams = z.output<typeof processMethods.read.params>;
type ReadResult = z.input<typeof processMethods.read.result>;

/** Waits as long as the client wants to, and no longer than there is a connection to answer on. */
export async function readProcess(
  process: ServedProcess,
  { afterSeq, maxBytes, waitMs }: ReadParams,
  signal: AbortSignal,
): Promise<ReadResult> {
  const after = afterSeq ?? 0;
  await news(process, { after, waitMs: waitMs ?? 0, signal });
  if (signal.aborted) {
    throw new RpcError("invalidRequest", "session has been resumed by another connection");
  }
  const answered = await answer(process, after, maxBytes ?? undefined);
  // Once it is on its way, before anything that is sent later.
  setImmediate(() => process.wasRead(answered.nextSeq - 1));
  return answered;
}

/** What a timer can count to. */
const MOST_WAIT_MS = 2 ** 31 - 1;

interface Wait {
  readonly after: number;
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

/** By a timer of its own: the one of `AbortSignal.timeout` would be kept until its time is up, answered or not. */
async function news(process: ServedProcess, { after, waitMs, signal }: Wait): Promise<void> {
  const late = new AbortController();
  const stop = AbortSignal.any([signal, late.signal]);
  const timer = setTimeout(() => late.abort(), Math.min(waitMs, MOST_WAIT_MS));
  try {
    while (!hasNews(process, after) && !stop.aborted) await process.change(stop);
  } finally {
    clearTimeout(timer);
  }
}

function hasNews({ output, failure }: ServedProcess, after: number): boolean {
  if (output.isClosed || failure !== undefined || output.has(after)) return true;
  return output.exit !== undefined && output.exit.seq > after;
}

async function answer(
  { output, running, failure }: ServedProcess,
  after: number,
  maxBytes: number | undefined,
): Promise<ReadResult> {
  const chunks = output.after(after, maxBytes ?? Number.POSITIVE_INFINITY);
  const { nextSeq, exit, isClosed } = toldWith(chunks, output, maxBytes === undefined);
  // Before anything is waited for: the bytes are lent.
  const texts = chunks.map(({ seq, stream, chunk }) => ({ seq, stream, chunk: textOf(chunk) }));
  const told = isClosed ? await toldReceipt(running) : {};
  return {
    chunks: texts,
    nextSeq,
    exited: exit !== undefined,
    exitCode: exit?.exitCode ?? null,
    closed: isClosed,
    failure: failure ?? null,
    sandboxDenied: exit?.sandboxDenied ?? false,
    ...told,
  };
}

/**
 * What is told with some chunks. Whoever asks for everything takes all of it for the numbers up to the
 * next one: what is behind the chunks of an answer that was full is told with the last of them.
 */
function toldWith(
  chunks: readonly RetainedChunk[],
  output: RetainedOutput,
  isEverything: boolean,
): Pick<RetainedOutput, "nextSeq" | "exit" | "isClosed"> {
  const { nextSeq, exit, isClosed } = output;
  const last = chunks.at(-1);
  if (last === undefined || (isEverything && !output.has(last.seq))) {
    return { nextSeq, exit, isClosed };
  }
  const here = { nextSeq: last.seq + 1 };
  if (!isEverything) return { ...here, exit, isClosed };
  const isBefore = exit !== undefined && exit.seq <= last.seq;
  return { ...here, exit: isBefore ? exit : undefined, isClosed: false };
}

function textOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString("base64");
}
