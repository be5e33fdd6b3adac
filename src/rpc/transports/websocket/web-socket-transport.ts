/**
 * One message per WebSocket message, on a socket that is already open.
 *
 * Client and server use the same code. Some readers refuse frames above 16 MiB
 * though they take longer messages, so long messages are sent in fragments.
 */
import type { WebSocket } from "ws";
import { Inbox } from "../inbox.ts";
import { markedText } from "../marked-text.ts";
import type { CloseReason, Receiver, Transport } from "../transport.ts";
import { closedError } from "../transport-error.ts";
import { giveBack, takeBuffer } from "./take-buffer.ts";
import type { WebSocketOptions } from "./web-socket-options.ts";

export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

/** What the transport does by itself and the library must not: judge texts, and answer pings. */
export const OWN_READING = { skipUTF8Validation: true, autoPong: false } as const;

const MAX_FRAME_BYTES = 8 * 1024 * 1024;
/** Up to here a message counts as accepted at once; beyond it the sender waits for the socket. */
const HIGH_WATER_BYTES = 1024 * 1024;
const CLOSE_GRACE_MS = 2_000;
const PING_INTERVAL_MS = 30_000;

type Done = (error?: Error | null) => void;

/** Wraps an open socket. Nothing may have listened to its messages before. */
export function createWebSocketTransport(
  socket: WebSocket,
  label: string,
  options: WebSocketOptions = {},
): Transport {
  return new WebSocketTransport(socket, label, options);
}

class WebSocketTransport implements Transport {
  readonly kind = "websocket";
  readonly maxMessageBytes: number;
  readonly label: string;
  readonly #socket: WebSocket;
  readonly #inbox: Inbox;
  readonly #binary: "accept" | "drop";
  readonly #ping: NodeJS.Timeout;
  readonly #questions = new Map<string, PromiseWithResolvers<void>>();
  #asked = 0;
  #isPonging = false;
  /** The latest ping that came while an answer to another one was not taken. */
  #unanswered: Buffer | undefined;
  #reason: CloseReason = { kind: "ended", reason: "closed by the other side" };

  constructor(socket: WebSocket, label: string, options: WebSocketOptions) {
    this.label = label;
    this.#socket = socket;
    this.#binary = options.binary ?? "accept";
    this.maxMessageBytes = options.maxMessageBytes ?? MAX_MESSAGE_BYTES;
    this.#inbox = new Inbox(new PausableSocket(socket));
    this.#ping = setInterval(() => this.#sendPing(), options.pingIntervalMs ?? PING_INTERVAL_MS);
    this.#ping.unref();
    socket.on("ping", (payload: Buffer) => this.#pong(payload));
    socket.on("pong", (payload: Buffer) => this.#answer(String(payload)));
    socket.on("message", (bytes: Buffer, isBinary: boolean) => this.#receive(bytes, isBinary));
    socket.on("error", (error) => {
      this.#reason = { kind: "failed", reason: error.message };
    });
    socket.on("close", () => this.#closed());
  }

  open(receiver: Receiver): void {
    this.#inbox.open(receiver);
  }

  async send(text: string): Promise<void> {
    await this.#send(Buffer.from(text, "utf8"));
  }

  sendBytes(length: number, write: (message: Buffer) => void): Promise<void> | undefined {
    const message = takeBuffer(length);
    write(message);
    return this.#send(message, (error) => {
      // Where it failed, somebody may not have let go of it.
      if (!error) giveBack(message);
    });
  }

  #send(message: Buffer, over?: Done): Promise<void> | undefined {
    const socket = this.#socket;
    if (socket.readyState !== socket.OPEN) return Promise.reject(closedError());
    // Nobody would wait for it, so it needs no promise.
    const isAccepted = socket.bufferedAmount + message.length <= HIGH_WATER_BYTES;
    const written = isAccepted ? this.#write(message, over) : this.#written(message, over);
    return socket.bufferedAmount > HIGH_WATER_BYTES ? written : undefined;
  }

  /** A pong is sent once all before its ping was read. Who leaves them out is never known to have read. */
  confirmed(): Promise<void> {
    this.#asked += 1;
    const question = `read-${this.#asked}`;
    const answer = Promise.withResolvers<void>();
    answer.promise.catch(() => {});
    if (this.#socket.readyState !== this.#socket.OPEN) answer.reject(closedError());
    else {
      this.#questions.set(question, answer);
      this.#socket.ping(question, undefined, () => {});
    }
    return answer.promise;
  }

  pause(): void {
    this.#inbox.pause();
  }

  resume(): void {
    this.#inbox.resume();
  }

  close(reason = "closed by this side"): void {
    if (this.#reason.kind === "ended") this.#reason = { kind: "local", reason };
    // A socket that is paused would never see the other side's close frame.
    if (this.#socket.isPaused) this.#socket.resume();
    this.#socket.close();
    setTimeout(() => this.#socket.terminate(), CLOSE_GRACE_MS).unref();
  }

  #written(message: Buffer, over: Done | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    promise.catch(() => {});
    this.#write(message, (error) => {
      over?.(error);
      if (error) reject(closedError(error));
      else resolve();
    });
    return promise;
  }

  /** All fragments go to the socket in one turn: no other message may come between them. */
  #write(message: Buffer, done?: Done): undefined {
    for (let start = 0; start === 0 || start < message.length; start += MAX_FRAME_BYTES) {
      const fin = start + MAX_FRAME_BYTES >= message.length;
      const frame = message.subarray(start, start + MAX_FRAME_BYTES);
      this.#socket.send(frame, { binary: false, fin }, fin ? done : undefined);
    }
  }

  #receive(bytes: Buffer, isBinary: boolean): void {
    if (isBinary && this.#binary === "drop") return;
    this.#inbox.deliver(decode(bytes));
  }

  #sendPing(): void {
    if (this.#socket.readyState === this.#socket.OPEN)
      this.#socket.ping(undefined, undefined, () => {});
  }

  /** One at a time, and then only the latest: whoever asks and never reads must not fill this side. */
  #pong(payload: Buffer): void {
    if (this.#isPonging) {
      this.#unanswered = payload;
      return;
    }
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#isPonging = true;
    this.#socket.pong(payload, undefined, () => {
      this.#isPonging = false;
      const next = this.#unanswered;
      this.#unanswered = undefined;
      if (next !== undefined) this.#pong(next);
    });
  }

  /** Whoever answers one question has read what came before all earlier ones. */
  #answer(payload: string): void {
    if (!this.#questions.has(payload)) return;
    for (const [question, { resolve }] of this.#questions) {
      this.#questions.delete(question);
      resolve();
      if (question === payload) return;
    }
  }

  #closed(): void {
    clearInterval(this.#ping);
    for (const { reject } of this.#questions.values()) reject(closedError());
    this.#questions.clear();
    this.#inbox.abort(this.#reason);
  }
}

/** `ws` throws when a socket that is closing is paused; there is nothing left to hold then. */
class PausableSocket {
  readonly #socket: WebSocket;

  constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  pause(): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.pause();
  }

  resume(): void {
    if (this.#socket.readyState !== this.#socket.CLOSED) this.#socket.resume();
  }
}

const STRICT_UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decode(bytes: Uint8Array) {
  try {
    return { kind: "text", text: STRICT_UTF8.decode(bytes) } as const;
  } catch {
    const marked = markedText(bytes);
    return { kind: "malformed", reason: "the message is not UTF-8", marked } as const;
  }
}
