import net from "node:net";
import type { Duplex } from "node:stream";
import type { ClientOptions, WebSocket } from "ws";
import type { Transport } from "../transport.ts";
import { TransportError } from "../transport-error.ts";
import { loadWs } from "./load-ws.ts";
import { networkProblem } from "./network-problem.ts";
import { socketPathProblem } from "./socket-path-problem.ts";
import type { WebSocketAddress } from "./web-socket-address.ts";
import type { WebSocketOptions } from "./web-socket-options.ts";
import {
  createWebSocketTransport,
  MAX_MESSAGE_BYTES,
  OWN_READING,
} from "./web-socket-transport.ts";

export interface ConnectOptions extends WebSocketOptions {
  /** Sent with the handshake, such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** 10 s when absent. */
  readonly handshakeTimeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Connects to a listener; rejects with {@link TransportError} when there is none or it refuses. */
export async function connectWebSocket(
  address: WebSocketAddress,
  options: ConnectOptions = {},
): Promise<Transport> {
  const what = `Cannot connect to "${labelOf(address)}"`;
  const socket = await createSocket(address, { ...options, what });
  const { promise, resolve, reject } = Promise.withResolvers<Transport>();
  const onAbort = () => socket.terminate();
  options.signal?.addEventListener("abort", onAbort, { once: true });
  if (options.signal?.aborted) onAbort();
  socket.once("upgrade", ({ socket: raw }) => noDelay(raw));
  // Wrapped in the event itself: the first message may follow before a promise settles.
  socket.once("open", () => resolve(createWebSocketTransport(socket, labelOf(address), options)));
  socket.once("error", (cause) => {
    reject(new TransportError("unreachable", `${what}: ${networkProblem(cause)}`, { cause }));
  });
  socket.once("unexpected-response", (request, { statusCode }) => {
    const why =
      statusCode === 401
        ? "the server wants a token (401), expected one that it knows"
        : `the server answered ${statusCode}, expected an upgrade`;
    reject(new TransportError("refused", `${what}: ${why}`));
    request.destroy();
  });
  return promise.finally(() => options.signal?.removeEventListener("abort", onAbort));
}

/** `ws` throws at once for a URL or a header that cannot be sent. */
async function createSocket(
  address: WebSocketAddress,
  { what, ...options }: ConnectOptions & { readonly what: string },
): Promise<WebSocket> {
  const problem = address.kind === "unix" ? socketPathProblem(address.path) : undefined;
  if (problem) throw new TransportError("unreachable", `${what}: ${problem}`);
  // Most servers connect to nobody.
  const { WebSocket } = await loadWs();
  try {
    return new WebSocket(urlOf(address), clientOptions(address, options));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : "it is unusable";
    throw new TransportError("unreachable", `${what}: ${why}`, { cause });
  }
}

function clientOptions(
  address: WebSocketAddress,
  {
    headers = {},
    handshakeTimeoutMs = 10_000,
    maxMessageBytes = MAX_MESSAGE_BYTES,
  }: ConnectOptions,
): ClientOptions {
  const options = {
    ...OWN_READING,
    perMessageDeflate: false,
    maxPayload: maxMessageBytes,
    handshakeTimeout: handshakeTimeoutMs,
    followRedirects: false,
    headers,
  };
  if (address.kind === "url") return options;
  return { ...options, createConnection: () => net.connect({ path: address.path }) };
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
