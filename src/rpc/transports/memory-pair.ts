import { Inbox } from "./inbox.ts";
import type { Receiver, Transport } from "./transport.ts";
import { closedError, type TransportError } from "./transport-error.ts";

/** Two ends of one connection without a socket; the same order, back-pressure and closing. */
export function createMemoryPair(): readonly [Transport, Transport] {
  const left = new MemoryTransport("left");
  const right = new MemoryTransport("right");
  left.connect(right);
  right.connect(left);
  return [left, right];
}

class MemoryTransport implements Transport {
  readonly kind = "memory";
  readonly label: string;
  readonly #waiting: { accept: () => void; refuse: (error: TransportError) => void }[] = [];
  readonly #inbox = new Inbox({ pause() {}, resume: () => this.#acceptAll() });
  #other: MemoryTransport | undefined;
  #closed = false;

  constructor(label: string) {
    this.label = label;
  }

  connect(other: MemoryTransport): void {
    this.#other = other;
  }

  open(receiver: Receiver): void {
    this.#inbox.open(receiver);
    this.#acceptAll();
  }

  send(text: string): Promise<void> {
    const other = this.#other;
    if (this.#closed || !other) return Promise.reject(closedError());
    return other.#take(text);
  }

  pause(): void {
    this.#inbox.pause();
  }

  resume(): void {
    this.#inbox.resume();
  }

  close(reason = "closed by this side"): void {
    if (this.#closed) return;
    this.#end({ kind: "local", reason });
    // After what is already on its way, as a socket would.
    const other = this.#other;
    queueMicrotask(() => {
      if (other) other.#end({ kind: "ended", reason: "closed by the other side" });
    });
  }

  /** Delivered in a later microtask, so that a send never runs the receiver inside the sender. */
  #take(text: string): Promise<void> {
    return new Promise((accept, refuse) => {
      queueMicrotask(() => {
        if (this.#closed) return refuse(closedError());
        this.#inbox.deliver({ kind: "text", text });
        if (this.#inbox.holding) this.#waiting.push({ accept, refuse });
        else accept();
      });
    });
  }

  #acceptAll(): void {
    if (this.#inbox.holding) return;
    for (const { accept } of this.#waiting.splice(0)) accept();
  }

  #end(reason: Parameters<Receiver["closed"]>[0]): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const { refuse } of this.#waiting.splice(0)) refuse(closedError());
    this.#inbox.abort(reason);
  }
}
