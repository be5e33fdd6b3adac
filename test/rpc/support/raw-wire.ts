/** The other end of a connection without a peer on it: a test writes and reads texts itself. */
import type { CloseReason, Transport } from "../../../src/rpc/index.ts";

export type Wired = Readonly<Record<string, unknown>>;

export class RawWire {
  readonly transport: Transport;
  readonly closed: Promise<CloseReason>;
  readonly #arrived: string[] = [];
  readonly #waiting: ((text: string) => void)[] = [];

  constructor(transport: Transport) {
    this.transport = transport;
    const { promise, resolve } = Promise.withResolvers<CloseReason>();
    this.closed = promise;
    transport.open({
      message: (incoming) => {
        const text = incoming.kind === "text" ? incoming.text : "";
        const waiting = this.#waiting.shift();
        if (waiting) waiting(text);
        else this.#arrived.push(text);
      },
      closed: resolve,
    });
  }

  /** How many texts came that nobody has read. */
  get unread(): number {
    return this.#arrived.length;
  }

  text(text: string): Promise<void> {
    return this.transport.send(text);
  }

  send(message: unknown): Promise<void> {
    return this.text(JSON.stringify(message));
  }

  nextText(): Promise<string> {
    const arrived = this.#arrived.shift();
    if (arrived !== undefined) return Promise.resolve(arrived);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async next(): Promise<Wired> {
    return JSON.parse(await this.nextText());
  }

  /** Sends a request and reads what comes next. */
  async ask(message: unknown): Promise<Wired> {
    await this.send(message);
    return this.next();
  }
}

/** Lets everything that is already due happen: a turn of the event loop, not a time. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
