/**
 * Takes what commands print out of the answers of the service, before the SDK sees them.
 *
 * One answer holds a command from its first line to its exit status, so that a
 * cut in it is seen. The SDK would tell the id of the command when it is over,
 * which is too late to end it, and would keep all that it printed in memory.
 */
import { z } from "zod";
import type { CommandOutput } from "../provided-command.ts";

/** Whoever follows one command. */
export interface CommandWatch {
  begun(id: string): void;
  /** Settles once it was taken; the answer waits for that. */
  printed(piece: CommandOutput): Promise<void>;
}

const Printed = z.object({ stream: z.enum(["stdout", "stderr"]), data: z.string() });
const Begun = z.object({ command: z.object({ id: z.string().min(1) }) });
/** No service sends a longer line; one that never ends must not fill the memory. */
const LONGEST_LINE = 1 << 26;

/** The commands that are followed, each by the signal of its request. */
export class CommandAnswers {
  readonly #watches = new WeakMap<AbortSignal, CommandWatch>();

  watch(signal: AbortSignal, watch: CommandWatch): void {
    this.#watches.set(signal, watch);
  }

  /** A fetch whose answers to commands that are followed have no output left in them. */
  over(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
    return async (url, request) => {
      const response = await fetch(url, request);
      const watch = request?.signal ? this.#watches.get(request.signal) : undefined;
      if (watch === undefined || !response.ok || response.body === null) return response;
      const { status, headers } = response;
      const rest = withoutOutput(linesOf(response.body), watch);
      return new Response(ReadableStream.from(rest), { status, headers });
    };
  }
}

/** What is no output is for the SDK to judge. */
async function* withoutOutput(
  lines: AsyncIterable<string>,
  watch: CommandWatch,
): AsyncGenerator<Uint8Array> {
  for await (const line of lines) {
    const value = jsonOf(line);
    const printed = Printed.safeParse(value).data;
    if (printed !== undefined) {
      await watch.printed({ stream: printed.stream, chunk: Buffer.from(printed.data) });
      continue;
    }
    const begun = Begun.safeParse(value).data;
    if (begun !== undefined) watch.begun(begun.command.id);
    yield Buffer.from(`${line}\n`);
  }
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of body) {
    const parts = `${rest}${decoder.decode(bytes, { stream: true })}`.split("\n");
    rest = parts.pop() ?? "";
    if (rest.length > LONGEST_LINE) throw new Error("a line of the answer has no end");
    yield* parts;
  }
  if (rest !== "") yield rest;
}
