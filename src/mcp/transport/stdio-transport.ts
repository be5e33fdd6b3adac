/** The standard streams of a server, for the SDK, with an answer to everything that asks for one. */
import {
  type JSONRPCMessage,
  parseJSONRPCMessage,
  type Transport,
} from "@modelcontextprotocol/server";
import { createLineTransport, type Incoming, type Transport as Lines } from "../../rpc/index.ts";
import { type MessageRefusal, readText, refuseUnreadable } from "./refuse-message.ts";

/** A message that is longer is no tool call that somebody meant. */
const MAX_LINE_BYTES = 32 << 20;

export interface StdioTransport extends Transport {
  /** Settles when the client is gone. */
  readonly closed: Promise<void>;
}

/** Speaks MCP over this process's standard input and output; hand it to `serveStdio`, or connect a server to it. */
export function stdioTransport(): StdioTransport {
  const lines = createLineTransport({
    input: process.stdin,
    output: process.stdout,
    maxLineBytes: MAX_LINE_BYTES,
  });
  return new ServerTransport(lines);
}

class ServerTransport implements StdioTransport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly closed: Promise<void>;
  readonly #lines: Lines;
  readonly #isClosed = Promise.withResolvers<void>();

  constructor(lines: Lines) {
    this.#lines = lines;
    this.closed = this.#isClosed.promise;
  }

  async start(): Promise<void> {
    this.#lines.open({
      message: (incoming) => this.#heard(incoming),
      closed: () => {
        this.#isClosed.resolve();
        this.onclose?.();
      },
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.#lines.send(JSON.stringify(message));
  }

  async close(): Promise<void> {
    this.#lines.close();
  }

  #heard(incoming: Incoming): void {
    const read = readText(incoming);
    if (read.kind === "message") this.#deliver(read.message);
    else this.#answer(read.answer);
  }

  #deliver(value: unknown): void {
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(value);
    } catch (error) {
      const refusal = refuseUnreadable(value);
      if (refusal !== undefined) this.#answer(refusal);
      else this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    this.onmessage?.(message);
  }

  #answer(refusal: MessageRefusal): void {
    this.#lines.send(JSON.stringify(refusal)).catch(() => {});
    this.onerror?.(new Error(refusal.error.message));
  }
}
