import type { RpcDialect } from "../dialect.ts";
import type { ReplyOutcome } from "../message/read-message.ts";
import type { RequestId } from "../message/request-id.ts";
import { type OutgoingMessage, writeMessage } from "../message/write-message.ts";
import { RpcFailure } from "../rpc-failure.ts";
import { type FaultLog, toWireError } from "../to-wire-error.ts";
import type { Transport } from "../transports/transport.ts";

export interface OutboxOptions {
  readonly transport: Transport;
  readonly dialect: RpcDialect;
  readonly log: FaultLog;
  readonly maxUnsent: number;
  /** More waits to be sent than a reader that is alive would leave. */
  readonly overrun: () => void;
}

/** The sending half: hands messages to the transport in the order of the calls and counts what waits. */
export class Outbox {
  readonly #options: OutboxOptions;
  #unsent = 0;

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  /** Settles when the transport took the bytes. The message is on its way before this returns. */
  async send(message: OutgoingMessage): Promise<void> {
    await this.#push(this.#writeCall(message));
  }

  /** Never rejects: a reply that cannot be delivered has nobody left to tell. */
  async reply(id: RequestId | null, outcome: ReplyOutcome): Promise<void> {
    await this.#push(this.#writeReply(id, outcome)).catch(() => {});
  }

  #writeCall(message: OutgoingMessage): string {
    try {
      return writeMessage(message, this.#options.dialect);
    } catch (cause) {
      throw new RpcFailure("badParams", "Cannot send the params: they are not JSON", { cause });
    }
  }

  #writeReply(id: RequestId | null, outcome: ReplyOutcome): string {
    const { dialect, log } = this.#options;
    try {
      return writeMessage({ kind: "reply", id, outcome }, dialect);
    } catch (fault) {
      // A result that is not JSON after all, such as a cycle in an untyped member.
      const error = toWireError(fault, log);
      return writeMessage({ kind: "reply", id, outcome: { kind: "error", error } }, dialect);
    }
  }

  async #push(text: string): Promise<void> {
    const { transport, maxUnsent, overrun } = this.#options;
    const sent = transport.send(text);
    this.#unsent += text.length;
    if (this.#unsent > maxUnsent) overrun();
    try {
      await sent;
    } finally {
      this.#unsent -= text.length;
    }
  }
}
