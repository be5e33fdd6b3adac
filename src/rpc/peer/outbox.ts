import type { RpcDialect } from "../dialect.ts";
import { Base64Message, base64Length } from "../message/base64-message.ts";
import { checkText } from "../message/check-text.ts";
import type { ReplyOutcome, RpcMessage } from "../message/read-message.ts";
import type { RequestId } from "../message/request-id.ts";
import { writeMessage } from "../message/write-message.ts";
import { RpcFailure } from "../rpc-failure.ts";
import { type FaultLog, toWireError } from "../to-wire-error.ts";
import type { Transport } from "../transports/transport.ts";
import type { PeerLimits } from "./peer-options.ts";
import { StallWatch } from "./stall-watch.ts";

export interface OutboxOptions {
  readonly transport: Transport;
  readonly dialect: RpcDialect;
  readonly log: FaultLog;
  readonly limits: Pick<PeerLimits, "json" | "maxUnsent" | "maxUnsentReading">;
  /** More waits to be sent than a reader that is alive would leave. */
  readonly overrun: () => void;
  /** The other side has stopped taking what it is sent, or has begun again to take what is too much. */
  readonly changed: () => void;
}

/** What a message that waits costs beside its characters. */
const LENGTH_OF_ITS_OWN = 1024;

type Call = Exclude<RpcMessage, { kind: "reply" }>;

/**
 * The sending half: hands messages to the transport in the order of the calls and
 * counts what waits. What the other side could not read is never sent: it would
 * answer nothing, or end the connection.
 */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #stall: StallWatch;
  #unsent = 0;
  #messages = 0;

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#stall = new StallWatch(options.changed);
  }

  get isStalled(): boolean {
    return this.#stall.isStalled;
  }

  /** So much waits that reading on, and answering, would only add to it. */
  get isFull(): boolean {
    const held = this.#unsent + this.#messages * LENGTH_OF_ITS_OWN;
    return held > this.#options.limits.maxUnsentReading;
  }

  /** Settles when the transport took the bytes. The message is on its way before this returns. */
  async send(message: Call): Promise<void> {
    await this.#push(withSentence(message, () => this.#write(message)));
  }

  /**
   * The same with the base64 of `bytes` in the last member. Throws what `send` rejects with; nothing is to
   * be waited for where they were accepted at once.
   */
  sendBytes(message: Call, bytes: Uint8Array): Promise<void> | undefined {
    const more = base64Length(bytes.length);
    return this.#push(
      withSentence(message, () => new Base64Message(this.#write(message, more), bytes)),
    );
  }

  /** Never rejects: a reply that cannot be delivered has nobody left to tell. */
  async reply(id: RequestId | null, outcome: ReplyOutcome): Promise<void> {
    await this.#push(this.#writeReply(id, outcome))?.catch(() => {});
  }

  #writeReply(id: RequestId | null, outcome: ReplyOutcome): string {
    try {
      return this.#write({ kind: "reply", id, outcome });
    } catch (fault) {
      // A result that is not JSON after all, or more of it than the other side reads.
      const error = toWireError(fault, this.#options.log);
      const refusal = { kind: "reply", id, outcome: { kind: "error", error } } as const;
      return writeMessage(refusal, this.#options.dialect);
    }
  }

  #write(message: RpcMessage, more = 0): string {
    const { dialect, limits, transport } = this.#options;
    const text = writeMessage(message, dialect);
    checkText(text, { json: limits.json, maxBytes: transport.maxMessageBytes, more });
    return text;
  }

  #push(message: string | Base64Message): Promise<void> | undefined {
    const { transport } = this.#options;
    const sent = typeof message === "string" ? transport.send(message) : message.sendOn(transport);
    return sent && this.#follow(sent, message.length);
  }

  async #follow(sent: Promise<void>, length: number): Promise<void> {
    const { limits, overrun } = this.#options;
    this.#stall.begin();
    this.#hold(length, 1);
    if (this.#unsent > limits.maxUnsent) overrun();
    try {
      await sent;
    } finally {
      this.#hold(length, -1);
      this.#stall.end();
    }
  }

  #hold(length: number, sign: 1 | -1): void {
    const wasFull = this.isFull;
    this.#unsent += sign * length;
    this.#messages += sign;
    if (wasFull !== this.isFull) this.#options.changed();
  }
}

function withSentence<T>({ method }: Call, write: () => T): T {
  try {
    return write();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : "they are not JSON";
    const sentence = `Cannot send the params of "${method}": ${why}`;
    throw new RpcFailure("badParams", sentence, { cause });
  }
}
