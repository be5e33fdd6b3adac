import net from "node:net";
import type { Duplex } from "node:stream";
import { type ClientOptions, WebSocket } from "ws";
import type { Transport } from "../transport.ts";
import { TransportError } from "../transport-error.ts";
import type { WebSocketAddress } from "./web-socket-address.ts";
import {
  createWebSocketTransport,
  MAX_MESSAGE_BYTES,
  type WebSocketOptions,
} from "./web-socket-transport.ts";

export interface ConnectOptions extends WebSocketOptions {
  /** Sent with the handshake, such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** 10 s when absent. */
  readonly handshakeTimeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Connects to a listener; throws {@link TransportError} when there is none or it refuses. */
export function connectWebSocket(
  address: WebSocketAddress,
  options: ConnectOptions = {},
): Promise<Transport> {
  const socket = new WebSocket(urlOf(address), clientOptions(address, options));
  const what = `Cannot connect to "${labelOf(address)}"`;
  const { promise, resolve, reject } = Promise.withResolvers<Transport>();
  const onAbort = () => socket.terminate();
  options.signal?.addEventListener("abort", onAbort, { once: true });
  if (options.signal?.aborted) onAbort();
  socket.once("upgrade", ({ socket: raw }) => noDelay(raw));
  // Wrapped in the event itself: the first message may follow before a promise settles.
  socket.once("open", () => resolve(createWebSocketTransport(socket, labelOf(address), options)));
  socket.once("error", (cause) => {
    reject(new TransportError("unreachable", `${what}: ${cause.message}`, { cause }));
  });
  socket.once("unexpected-response", (request, { statusCode }) => {
    const why = `the server answered ${statusCode}, expected an upgrade`;
    reject(new TransportError("refused", `${what}: ${why}`));
    request.destroy();
  });
  return promise.finally(() => options.signal?.removeEventListener("abort", onAbort));
}

function clientOptions(
  address: WebSocketAddress,
  { headers = {}, handshakeTimeoutMs = 10_000 }: ConnectOptions,
): ClientOptions {
  const options = {
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
    handshakeTimeout: handshakeTimeoutMs,
    followRedirects: false,
    headers,
  };
  if (address.kind === "url") return options;
  return { ...options, createConnection: () => net.connect(address.path) };
}

function noDelay(socket: Duplex): void {
  if (socket instanceof net.Socket) socket.setNoDelay(true);
}

function urlOf(address: WebSocketAddress): string {
  return address.kind === "url" ? address.url : "ws://localhost/";
}

function labelOf(address: WebSocketAddress): string {
  return address.kind === "url" ? address.url : address.path;
}
