/**
 * What carries messages between two peers.
 *
 * A transport knows frames and bytes, not JSON. It delivers what arrives in
 * order, holds delivery while paused, and lets a sender wait until its bytes were
 * taken, so that a slow reader slows the producer and nobody's memory.
 */
export type TransportKind = "memory" | "stdio" | "websocket";

/** One thing that arrived: a text, or bytes that are no text. */
export type Incoming =
  | { readonly kind: "text"; readonly text: string }
  | {
      readonly kind: "malformed";
      readonly reason: string;
      /** All of it, with a mark for what cannot be read: good for telling whoever waits, and for nothing else. */
      readonly marked?: string;
    };

/** Why a connection is over. */
export interface CloseReason {
  /** `ended`: the other side is done. `failed`: a fault or a broken limit. `local`: this side closed. */
  readonly kind: "ended" | "failed" | "local";
  readonly reason: string;
  /** True when the other side only stopped writing: what is sent now may still be read. */
  readonly halfOpen?: boolean;
}

export interface Receiver {
  message(incoming: Incoming): void;
  /** The other side is done while delivery is held: what it sent, and the end, still follow. */
  ending?(): void;
  /** Called once, and after it nothing else. */
  closed(reason: CloseReason): void;
}

export interface Transport {
  readonly kind: TransportKind;
  /** Names the other end in messages to people, such as `127.0.0.1:51034`. */
  readonly label: string;
  /** The longest message the other end takes, in bytes; a longer one would end the connection. */
  readonly maxMessageBytes?: number;
  /** Starts delivery. Called once. */
  open(receiver: Receiver): void;
  /**
   * Sends one message. Messages leave in the order of the calls; the promise
   * settles when the bytes were accepted and rejects when they never will be.
   */
  send(text: string): Promise<void>;
  /**
   * The same for a message of so many bytes of UTF-8, which `write` puts where it is told to, at once; absent
   * where only texts are taken. There is nothing to wait for where they were accepted at once.
   */
  sendBytes?(length: number, write: (message: Buffer) => void): Promise<void> | undefined;
  /** Settles when the other side has read all that was sent until now; absent where that cannot be known. */
  confirmed?(): Promise<void>;
  /** Holds delivery, and lets the sender feel it. */
  pause(): void;
  resume(): void;
  close(reason?: string): void;
}
