/**
 * One message per line over any pair of streams, usually stdin and stdout.
 *
 * The end of the input ends the connection but not the output: a program that
 * closed its side can still read the last answers.
 */
import type { Readable, Writable } from "node:stream";
import { Inbox } from "./inbox.ts";
import { LineSplitter } from "./line-splitter.ts";
import type { CloseReason, Receiver, Transport } from "./transport.ts";
import { TransportError } from "./transport-error.ts";

export interface LineTransportOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly label?: string;
  /** 64 MiB when absent. A longer line ends the connection. */
  readonly maxLineBytes?: number;
}

const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** Speaks lines over `input` and `output`. */
export function createLineTransport(options: LineTransportOptions): Transport {
  return new LineTransport(options);
}

class LineTransport implements Transport {
  readonly kind = "stdio";
  readonly label: string;
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #splitter: LineSplitter;
  readonly #inbox: Inbox;
  readonly #waiting = new Set<{ accept: () => void; refuse: (error: TransportError) => void }>();
  #closed = false;

  constructor({
    input,
    output,
    label = "stdio",
    maxLineBytes = MAX_LINE_BYTES,
  }: LineTransportOptions) {
    this.label = label;
    this.#input = input;
    this.#output = output;
    this.#splitter = new LineSplitter(maxLineBytes);
    this.#inbox = new Inbox(input);
    output.on("drain", () => this.#accept());
    output.on("error", (error) => this.#fail(error.message));
    output.on("close", () => this.#fail("the output was closed"));
  }

  open(receiver: Receiver): void {
    this.#inbox.open(receiver);
    this.#input.on("data", (chunk: Buffer | string) => this.#read(bytesOf(chunk)));
    this.#input.on("end", () => this.#finish());
    this.#input.on("error", (error) => this.#fail(error.message));
    // A destroyed stream closes without an end.
    this.#input.on("close", () =>
      this.#inbox.end({ kind: "ended", reason: "the input was closed" }),
    );
  }

  send(text: string): Promise<void> {
    if (this.#closed) return Promise.reject(closedError());
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
    if (this.#closed) return;
    this.#over({ kind: "local", reason });
    this.#output.end();
    this.#input.destroy();
  }

  #read(chunk: Uint8Array): void {
    for (const line of this.#splitter.push(chunk)) {
      if (this.#closed) return;
      if (line === "tooLong") {
        this.#fail("a line is over the limit");
        this.#input.destroy();
        return;
      }
      this.#inbox.deliver(line);
    }
  }

  #finish(): void {
    for (const line of this.#splitter.finish()) this.#inbox.deliver(line);
    this.#inbox.end({ kind: "ended", reason: "the input ended" });
  }

  #fail(reason: string): void {
    if (!this.#closed) this.#over({ kind: "failed", reason });
  }

  #over(reason: CloseReason): void {
    this.#closed = true;
    for (const { refuse } of this.#waiting) refuse(closedError());
    this.#waiting.clear();
    this.#inbox.abort(reason);
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

function closedError(): TransportError {
  return new TransportError("closed", "Cannot send: the connection is closed, expected open");
}
