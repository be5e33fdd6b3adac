import type { CloseReason, Receiver, Transport } from "../../../rpc/index.ts";

/**
 * A transport that two parties may hold up: whoever speaks over it, and whoever reads what comes.
 *
 * It delivers while neither does.
 */
export class GatedTransport implements Transport {
  readonly kind: Transport["kind"];
  readonly label: string;
  readonly maxMessageBytes?: number;
  readonly #inner: Transport;
  readonly #holders = new Set<"peer" | "flow">();

  constructor(inner: Transport) {
    this.#inner = inner;
    this.kind = inner.kind;
    this.label = inner.label;
    if (inner.maxMessageBytes !== undefined) this.maxMessageBytes = inner.maxMessageBytes;
  }

  open(receiver: Receiver): void {
    this.#inner.open({
      message: (incoming) => receiver.message(incoming),
      closed: (reason: CloseReason) => receiver.closed(reason),
    });
  }

  send(text: string): Promise<void> {
    return this.#inner.send(text);
  }

  pause(): void {
    this.#hold("peer", true);
  }

  resume(): void {
    this.#hold("peer", false);
  }

  /** Holds delivery on behalf of those who read, or lets go. */
  holdFlow(held: boolean): void {
    this.#hold("flow", held);
  }

  close(reason?: string): void {
    this.#inner.close(reason);
  }

  #hold(who: "peer" | "flow", held: boolean): void {
    const before = this.#holders.size > 0;
    if (held) this.#holders.add(who);
    else this.#holders.delete(who);
    const now = this.#holders.size > 0;
    if (now === before) return;
    if (now) this.#inner.pause();
    else this.#inner.resume();
  }
}
