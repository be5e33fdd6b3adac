/**
 * What bubblewrap says on its status descriptor: one JSON document an event.
 *
 * Its words are the only source: text on stderr may be the command's.
 */
import type { Readable } from "node:stream";

export interface StatusReport {
  /** The first process of the sandbox, as the host numbers it; nothing if it never came to life. */
  readonly pid: Promise<number | undefined>;
  /** How the command ended; nothing if it did not run. */
  readonly exitCode: Promise<number | undefined>;
}

/** Follows the reports until the descriptor is closed. */
export function readStatus(stream: Readable): StatusReport {
  let text = "";
  const pid = Promise.withResolvers<number | undefined>();
  const exitCode = Promise.withResolvers<number | undefined>();
  stream.on("data", (chunk) => {
    text += String(chunk);
    const found = numberIn(text, /"child-pid":\s*(\d+)/);
    if (found !== undefined) pid.resolve(found);
  });
  const over = () => {
    pid.resolve(undefined);
    exitCode.resolve(numberIn(text, /"exit-code":\s*(\d+)/));
  };
  stream.once("close", over);
  stream.once("error", over);
  return { pid: pid.promise, exitCode: exitCode.promise };
}

function numberIn(text: string, pattern: RegExp): number | undefined {
  const found = pattern.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}
