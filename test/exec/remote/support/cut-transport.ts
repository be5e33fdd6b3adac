import type { CloseReason, Incoming, Receiver, Transport } from "../../../../src/rpc/index.ts";

/** When a connection is cut. What is on its way then is lost, though its sender believes otherwise. */
export interface Cut {
  /** After this many messages, of those the client gets or of those it sends. */
  readonly after: number;
  readonly of: "received" | "sent";
}

/** A connection of a client that is cut at a point. */
export class CutTransport implements Transport {
  readonly kind: Transport["kind"];
  readonly label: string;
  readonly #inner: Transport;
  readonly #cut: Cut;
  #receiver: Receiver | undefined;
  #count = 0;
  #isOver = false;

  constructor(inner: Transport, cut: Cut) {
    this.#inner = inner;
    this.#cut = cut;
    this.kind = inner.kind;
    this.label = inner.label;
  }

  open(receiver: Receiver): void {
    this.#receiver = receiver;
    this.#inner.open({
      message: (incoming: Incoming) => {
        if (!this.#isLost("received")) receiver.message(incoming);
      },
      closed: (reason: CloseReason) => this.#end(reason),
    });
  }

  async send(text: string): Promise<void> {
    if (this.#isOver) throw new Error("the connection was cut");
    if (!this.#isLost("sent")) await this.#inner.send(text);
  }

  pause(): void {
    this.#inner.pause();
  }

  resume(): void {
    this.#inner.resume();
  }

  close(reason?: string): void {
    this.#inner.close(reason);
    this.#end({ kind: "local", reason: reason ?? "closed" });
  }

  #isLost(direction: Cut["of"]): boolean {
    if (this.#isOver) return true;
    if (direction !== this.#cut.of) return false;
    this.#count += 1;
    if (this.#count <= this.#cut.after) return false;
    this.#inner.close("cut");
    // As a socket would: not within the call that meets the cut.
    setImmediate(() => this.#end({ kind: "failed", reason: "cut" }));
    return true;
  }

  #end(reason: CloseReason): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#receiver?.closed(reason);
  }
}
