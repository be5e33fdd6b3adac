/**
 * What happened after a number, from an answer to `process/read`. Pure.
 *
 * The answer has the output; the exit and the close are told as facts and have
 * the numbers that are left. All numbers up to `nextSeq` must be accounted for,
 * or something is lost and cannot be told from nothing.
 */
import { decodeBase64 } from "../../server/decode-base64.ts";
import type { ReadAnswer, RemoteEvent } from "./remote-event.ts";

export interface Known {
  /** Everything up to this number is known. */
  readonly lastSeq: number;
  /** The exit is among it. */
  readonly hasExit: boolean;
}

/** The events that are not known, in order, or why the answer cannot be all of them. */
export function recoveredEvents(answer: ReadAnswer, known: Known): RemoteEvent[] | string {
  const { nextSeq, closed, exited, exitCode, failure } = answer;
  const { lastSeq, hasExit } = known;
  if (failure !== null) return `the server says: ${failure}`;
  if (exited && exitCode === null) return "it has exited and nobody knows how";
  if (closed && !exited) return "it is closed and has not exited";
  if (nextSeq <= lastSeq + 1) return [];
  const chunks = answer.chunks.filter(({ seq }) => seq > lastSeq);
  const told = chunks.length + Number(exited && !hasExit) + Number(closed);
  if (told !== nextSeq - 1 - lastSeq) {
    return `the server retains ${told} events after number ${lastSeq}, expected all up to ${nextSeq - 1}`;
  }
  return numbered({ ...answer, chunks }, lastSeq);
}

/** As many events as numbers: what does not have the next number leaves it to the exit, once. */
function numbered(answer: ReadAnswer, lastSeq: number): RemoteEvent[] | string {
  const { nextSeq, closed, exitCode, sandboxDenied } = answer;
  const last = closed ? nextSeq - 2 : nextSeq - 1;
  const events: RemoteEvent[] = [];
  const waiting = [...answer.chunks].reverse();
  for (let seq = lastSeq + 1; seq <= last; seq += 1) {
    const chunk = waiting.at(-1);
    if (chunk?.seq === seq) {
      waiting.pop();
      events.push({ kind: "output", seq, stream: chunk.stream, chunk: bytesIn(chunk.chunk) });
    } else if (exitCode !== null && !events.some(({ kind }) => kind === "exited")) {
      events.push({ kind: "exited", seq, exit: { exitCode, sandboxDenied } });
    } else return `number ${seq} is missing`;
  }
  if (waiting.length > 0) return `number ${waiting.at(-1)?.seq} is out of order`;
  const { receipt, unkept } = answer.writ ?? {};
  if (closed) events.push({ kind: "closed", seq: nextSeq - 1, receipt, unkept });
  return events;
}

function bytesIn(text: string): Uint8Array {
  return decodeBase64(text, (why) => new RangeError(`its output is not base64: ${why}`));
}
