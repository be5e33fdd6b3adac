/**
 * One message per line over any pair of streams, usually stdin and stdout.
 *
 * The end of the input ends the connection but not the output: a program that
 * closed its side can still read the last answers. Every other end, a fault of
 * either stream among them, ends both.
 */
import type { Readable, Writable } from "node:stream";
import { Inbox } from "./inbox.ts";
import { LineSplitter } from "./line-splitter.ts";
import type { CloseReason, Receiver, Transport } from "./transport.ts";
import { closedError, type TransportError } from "./transport-error.ts";

export interface LineTransportOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly label?: string;
  /** 64 MiB when absent. A longer line ends the connection. */
  readonly maxLineBytes?: number;
}

const MAX_LINE_BYTES = 64 * 1024 * 1024;
/** How long an output that was ended may take to get rid of what it holds. */
const CLOSE_GRACE_MS = 2_000;

/** Speaks lines over `input` and `output`. */
export function createLineTransport(options: LineTransportOptions): Transport {
  return new LineTransport(options);
}

class LineTransport implements Transport {
  readonly kind = "stdio";
  readonly label: string;
  readonly maxMessageBytes: number;
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #splitter: LineSplitter;
  readonly #inbox: Inbox;
  readonly #waiting = new Set<{ accept: () => void; refuse: (error: TransportError) => void }>();
  #closed = false;
  #isGathering = false;

  constructor({
    input,
    output,
    label = "stdio",
    maxLineBytes = MAX_LINE_BYTES,
  }: LineTransportOptions) {
    this.label = label;
    this.maxMessageBytes = maxLineBytes;
    this.#input = input;
    this.#output = output;
    this.#splitter = new LineSplitter(maxLineBytes);
    this.#inbox = new Inbox(input);
    output.on("drain", () => this.#accept());
    output.on("error", (error) => this.#fail(error.message));
    output.on("close", () => this.#fail("the output was closed"));
    input.on("error", (error) => this.#fail(error.message));
  }

  open(receiver: Receiver): void {
    this.#input.on("data", (chunk: Buffer | string) => this.#read(bytesOf(chunk)));
    this.#input.on("end", () => this.#finish());
    // A destroyed stream closes without an end.
    this.#input.on("close", () => this.#end("the input was closed"));
    if (this.#input.destroyed || this.#input.readableEnded) this.#end("the input was closed");
    this.#inbox.open(receiver);
  }

  send(text: string): Promise<void> {
    if (this.#closed) return Promise.reject(closedError());
    this.#gather();
    if (this.#output.write(`${text}\n`)) return Promise.resolve();
    return new Promise((accept, refuse) => this.#waiting.add({ accept, refuse }));
  }

  pause(): void {
    this.#inbox.pause();
  }

  resume(): void {
    this.#inbox.resume();
  }

  close(reason = "closed by this side"): void {
    this.#over({ kind: "local", reason });
  }

  /** What is said within one turn of the event loop goes out as one at its end: each write wakes whoever reads. */
  #gather(): void {
    if (this.#isGathering) return;
    this.#isGathering = true;
    this.#output.cork();
    setImmediate(() => {
      this.#isGathering = false;
      this.#output.uncork();
    });
  }

  #read(chunk: Uint8Array): void {
    for (const line of this.#splitter.push(chunk)) {
      if (this.#closed) return;
      if (line === "tooLong") {
        this.#fail("a line is over the limit");
        return;
      }
      this.#inbox.deliver(line);
    }
  }

  #finish(): void {
    for (const line of this.#splitter.finish()) this.#inbox.deliver(line);
    this.#end("the input ended");
  }

  #end(reason: string): void {
    this.#inbox.end({ kind: "ended", reason, halfOpen: true });
  }

  #fail(reason: string): void {
    this.#over({ kind: "failed", reason });
  }

  #over(reason: CloseReason): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const { refuse } of this.#waiting) refuse(closedError());
    this.#waiting.clear();
    this.#input.destroy();
    this.#endOutput();
    this.#inbox.abort(reason);
  }

  /** What was accepted gets out if somebody reads it; nobody has to. */
  #endOutput(): void {
    if (this.#output.destroyed) return;
    this.#output.end();
    if (this.#output.writableFinished) return;
    const grace = setTimeout(() => this.#output.destroy(), CLOSE_GRACE_MS);
    grace.unref();
    this.#output.once("close", () => clearTimeout(grace));
  }

  #accept(): void {
    for (const { accept } of this.#waiting) accept();
    this.#waiting.clear();
  }
}

/** A stream with an encoding set gives strings. */
function bytesOf(chunk: Buffer | string): Buffer {
  return typeof chunk === "string" ? Buffer.from(chunk) : chunk;
}
