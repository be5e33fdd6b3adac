/**
 * One message per line over a process of an executor.
 *
 * The transport owns the streams and nothing more: closing it closes the input,
 * and whether a process that stays is ended is for its owner to say. What the
 * process left behind when it exited does not keep the connection open.
 */
import { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { isLeftUnread, type RunningProcess } from "../../exec/index.ts";
import { createLineTransport, type Receiver, type Transport } from "../../rpc/index.ts";

export interface ProcessTransportOptions {
  /** What the process prints for people, as it comes, also after the transport was closed. */
  stderr(chunk: Uint8Array): void;
  readonly label?: string;
  /** 64 MiB when absent. A longer line ends the connection. */
  readonly maxLineBytes?: number;
}

/** Speaks lines with `running`, whose events nobody else may read. */
export function createProcessTransport(
  running: RunningProcess,
  { stderr, label = running.processId, maxLineBytes }: ProcessTransportOptions,
): Transport {
  const printed = new Printed(running, stderr);
  const lines = createLineTransport({
    input: printed.stdout,
    output: inputOf(running, printed),
    label,
    ...(maxLineBytes !== undefined && { maxLineBytes }),
  });
  return {
    kind: "stdio",
    label,
    ...(lines.maxMessageBytes !== undefined && { maxMessageBytes: lines.maxMessageBytes }),
    open: (receiver) => lines.open(tellingExit(receiver, printed)),
    send: (text) => lines.send(text),
    pause: () => lines.pause(),
    resume: () => lines.resume(),
    close: (reason) => lines.close(reason),
  };
}

/** A process that is over reads nothing more, so its end is never half an end. */
function tellingExit(receiver: Receiver, printed: Printed): Receiver {
  return {
    message: (incoming) => receiver.message(incoming),
    closed: ({ kind, reason }) =>
      receiver.closed({ kind, reason: kind === "local" ? reason : (printed.end ?? reason) }),
  };
}

/** What comes out of a process, each stream to whom it is for. */
class Printed {
  readonly stdout: Readable;
  readonly #running: RunningProcess;
  readonly #stderr: (chunk: Uint8Array) => void;
  #end: string | undefined;
  #taken: () => void = () => {};

  constructor(running: RunningProcess, stderr: (chunk: Uint8Array) => void) {
    this.#running = running;
    this.#stderr = stderr;
    this.stdout = new Readable({ read: () => this.#taken() });
    // Destroyed with a chunk in hand, nobody asks for another.
    this.stdout.on("close", () => this.#taken());
    this.#pass().then(
      () => this.stdout.push(null),
      (error: Error) => this.stdout.destroy(error),
    );
  }

  /** How the process ended, once it has. */
  get end(): string | undefined {
    return this.#end;
  }

  /** To the last event even where nobody reads: what is not taken holds the process up. */
  async #pass(): Promise<void> {
    for await (const event of this.#running.events) {
      if (event.kind === "exited") {
        this.#end = `the process exited with status ${event.exit.exitCode}`;
        await this.#running.terminate();
      }
      if (event.kind !== "output") continue;
      if (event.stream === "stderr") this.#stderr(event.chunk);
      else await this.#push(event.chunk);
    }
  }

  async #push(chunk: Uint8Array): Promise<void> {
    if (this.stdout.destroyed) return;
    const asked = new Promise<void>((resolve) => {
      this.#taken = resolve;
    });
    if (!this.stdout.push(chunk)) await asked;
  }
}

/** An executor bounds what one write may bring. */
const MOST_PIECE = 1 << 20;
/** How long a process that has no room is left alone. */
const PAUSE_MS = 50;

function inputOf(running: RunningProcess, printed: Printed): Writable {
  return new Writable({
    decodeStrings: true,
    write(chunk: Buffer, _encoding, done) {
      writeAll(chunk, running, printed).then(() => done(), done);
    },
    // What is small and not read yet would take many times its own room, each by itself.
    writev(chunks: { readonly chunk: Buffer }[], done) {
      const all = Buffer.concat(chunks.map(({ chunk }) => chunk));
      writeAll(all, running, printed).then(() => done(), done);
    },
    final(done) {
      running.closeInput().then(() => done(), done);
    },
  });
}

async function writeAll(chunk: Buffer, running: RunningProcess, printed: Printed): Promise<void> {
  for (let at = 0; at < chunk.length; ) {
    const piece = chunk.subarray(at, at + MOST_PIECE);
    if (printed.end !== undefined) throw new Error(printed.end);
    if (await accepted(piece, running)) at += piece.length;
    // Its executor says so at once where it has said so before.
    else await sleep(PAUSE_MS);
  }
}

/** A process that is slow to read is waited for. */
async function accepted(piece: Uint8Array, running: RunningProcess): Promise<boolean> {
  try {
    if (await running.write(piece)) return true;
  } catch (error) {
    if (isLeftUnread(error)) return false;
    throw error;
  }
  throw new Error("the process takes no input");
}
