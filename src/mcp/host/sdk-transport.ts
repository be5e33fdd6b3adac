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
import { releaseMessage } from "./outgoing-call.ts";
import type { ServerTransport } from "./start-inheriting.ts";

export class SdkTransport implements SdkTransportPort {
  readonly stderr = null;
  readonly pid = null;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JSONRPCMessage) => void) | undefined;
  readonly #transport: ServerTransport;

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
    await this.#transport.send(JSON.stringify(releaseMessage(message).message));
  }

  async close(): Promise<void> {
    this.#transport.close();
    await this.#transport.over;
  }

  #receive(incoming: Incoming): void {
    try {
      if (incoming.kind === "malformed") throw new Error(incoming.reason);
      this.onmessage?.(parseJSONRPCMessage(readJson(incoming.text, JSON_LIMITS)));
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
