/**
 * Accepts WebSocket connections on a TCP port or a socket file.
 *
 * Both are one HTTP server with one upgrade path; only the binding differs. Each
 * connection becomes a transport, handed over before its first message is read.
 */
import http, { type IncomingMessage } from "node:http";
import net from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import type { Transport } from "../transport.ts";
import { bindError } from "./bind-error.ts";
import { bindUnixSocket } from "./bind-unix-socket.ts";
import { answerPlain, type HttpGateOptions, refuseUpgrade } from "./http-gate.ts";
import { type ListenAddress, webSocketUrl } from "./web-socket-address.ts";
import {
  createWebSocketTransport,
  MAX_MESSAGE_BYTES,
  type WebSocketOptions,
} from "./web-socket-transport.ts";

export interface ListenOptions extends WebSocketOptions, HttpGateOptions {
  readonly address: ListenAddress;
  readonly accept: (transport: Transport, request: IncomingMessage) => void;
}

export interface WebSocketListener {
  /** The bound address: `ws://127.0.0.1:51034`, or the path of the socket file. */
  readonly address: string;
  /** Stops accepting, ends every connection, and removes the socket file. */
  close(): Promise<void>;
}

/** Starts listening; throws {@link TransportError} when the address is taken. */
export async function listenWebSocket(options: ListenOptions): Promise<WebSocketListener> {
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
  });
  const server = http.createServer((request, response) => answerPlain(request, response, options));
  server.on("upgrade", (request, socket, head) => {
    if (refuseUpgrade(request, socket, options)) return;
    if (socket instanceof net.Socket) socket.setNoDelay(true);
    sockets.handleUpgrade(request, socket, head, (webSocket) =>
      accept(webSocket, request, options),
    );
  });
  await bind(server, options.address);
  return { address: addressOf(server), close: () => close(server, sockets) };
}

function accept(socket: WebSocket, request: IncomingMessage, options: ListenOptions): void {
  const { remoteAddress, remotePort } = request.socket;
  const label = remoteAddress === undefined ? "unix" : `${remoteAddress}:${remotePort}`;
  options.accept(createWebSocketTransport(socket, label, options), request);
}

async function bind(server: http.Server, address: ListenAddress): Promise<void> {
  if (address.kind === "unix") return bindUnixSocket(server, address);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const { host, port } = address;
  // Stays for good: a failed accept is an error event too, and must not end the process.
  server.on("error", (cause) => reject(bindError(webSocketUrl(address), cause)));
  server.listen({ host, port }, resolve);
  await promise;
}

function addressOf(server: http.Server): string {
  const bound = server.address();
  if (bound === null || typeof bound === "string") return bound ?? "";
  return webSocketUrl({ host: bound.address, port: bound.port });
}

async function close(server: http.Server, sockets: WebSocketServer): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  for (const socket of sockets.clients) socket.close();
  const grace = setTimeout(() => {
    for (const socket of sockets.clients) socket.terminate();
  }, CLOSE_GRACE_MS);
  server.closeAllConnections();
  await promise;
  clearTimeout(grace);
}

const CLOSE_GRACE_MS = 1_000;
