/**
 * A transport of ours as the SDK wants one.
 *
 * `stderr` and `pid` are how the SDK tells a local pipe from a network: a server
 * that stays silent when asked for its era is an older one here, and not an outage.
 */
import {
  type JSONRPCMessage,
  parseJSONRPCMessage,
  type Transport as SdkTransportPort,
} from "@modelcontextprotocol/client";
import { type Incoming, JSON_LIMITS, readJson } from "../../rpc/index.ts";
import { answeredId } from "../confine/lines/read-line.ts";
import { UNREADABLE } from "./call-failure.ts";
import { releaseMessage } from "./outgoing-call.ts";
import type { ServerTransport } from "./start-inheriting.ts";

/** What may be under way of answers to a server before it has to read some of them to be heard. */
const MOST_ANSWERS = 1000;

export class SdkTransport implements SdkTransportPort {
  readonly stderr = null;
  readonly pid = null;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JSONRPCMessage) => void) | undefined;
  readonly #transport: ServerTransport;
  #answers = 0;

  constructor(transport: ServerTransport) {
    this.#transport = transport;
  }

  async start(): Promise<void> {
    this.#transport.open({
      message: (incoming) => this.#receive(incoming),
      closed: () => {
        // What only stopped talking is of no use either.
        this.#transport.close();
        this.onclose?.();
      },
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const text = JSON.stringify(releaseMessage(message).message);
    await ("method" in message ? this.#transport.send(text) : this.#answer(text));
  }

  async close(): Promise<void> {
    this.#transport.close();
    await this.#transport.over;
  }

  /** What is on record of the server as a whole. */
  get receiptId(): string | null {
    return this.#transport.receiptId;
  }

  /** The SDK answers whatever it is asked, and does not wait until that is read. */
  async #answer(text: string): Promise<void> {
    this.#answers += 1;
    if (this.#answers > MOST_ANSWERS) this.#transport.pause();
    try {
      await this.#transport.send(text);
    } finally {
      this.#answers -= 1;
      if (this.#answers <= MOST_ANSWERS) this.#transport.resume();
    }
  }

  #receive(incoming: Incoming): void {
    try {
      if (incoming.kind === "malformed") throw new Error(incoming.reason);
      this.onmessage?.(parseJSONRPCMessage(readJson(incoming.text, JSON_LIMITS)));
    } catch (cause) {
      const error = cause instanceof Error ? cause : new Error(String(cause));
      if (incoming.kind !== "malformed") this.#failAnswered(incoming.text, error);
      this.onerror?.(error);
    }
  }

  /** Nobody waits for an answer that came and cannot be read. */
  #failAnswered(text: string, { message }: Error): void {
    const id = answeredId(text);
    if (id === undefined) return;
    const error = { code: PARSE_ERROR, message, data: UNREADABLE };
    this.onmessage?.({ jsonrpc: "2.0", id: JSON.parse(id), error });
  }
}

const PARSE_ERROR = -32700;
