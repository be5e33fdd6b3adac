/**
 * Accepts WebSocket connections on a TCP port or a socket file.
 *
 * Both are one HTTP server with one upgrade path; only the binding differs. Each
 * connection becomes a transport, handed over before its first message is read.
 */
import http, { type IncomingMessage } from "node:http";
import net from "node:net";
import type { WebSocket, WebSocketServer } from "ws";
import type { FaultLog } from "../../to-wire-error.ts";
import type { Transport } from "../transport.ts";
import { bindError } from "./bind-error.ts";
import { bindUnixSocket } from "./bind-unix-socket.ts";
import { HttpGate, type HttpGateOptions } from "./http-gate.ts";
import { loadWs } from "./load-ws.ts";
import { type ListenAddress, webSocketUrl } from "./web-socket-address.ts";
import type { WebSocketOptions } from "./web-socket-options.ts";
import {
  createWebSocketTransport,
  MAX_MESSAGE_BYTES,
  OWN_READING,
} from "./web-socket-transport.ts";

export interface ListenOptions extends WebSocketOptions, HttpGateOptions {
  readonly address: ListenAddress;
  /** Takes a connection. One that it throws for is closed. */
  readonly accept: (transport: Transport, request: IncomingMessage) => void;
  /** Receives what `accept` throws; a process warning when absent. */
  readonly log?: FaultLog;
}

export interface WebSocketListener {
  /** The bound address: `ws://127.0.0.1:51034`, or the path of the socket file. */
  readonly address: string;
  /** Stops accepting, ends every connection, and removes the socket file. */
  close(): Promise<void>;
}

/** Starts listening; throws {@link TransportError} when the address is taken. */
export async function listenWebSocket(options: ListenOptions): Promise<WebSocketListener> {
  const ws = await loadWs();
  const sockets = new ws.WebSocketServer({
    noServer: true,
    ...OWN_READING,
    perMessageDeflate: false,
    maxPayload: options.maxMessageBytes ?? MAX_MESSAGE_BYTES,
  });
  const gate = new HttpGate(options);
  const server = http.createServer((request, response) => gate.answerPlain(request, response));
  // Headers past a count would be dropped unread, an `Origin` among them. Their size stays bounded.
  server.maxHeadersCount = 0;
  server.on("upgrade", (request, socket, head) =>
    gate.upgrade(request, socket, () => {
      if (socket instanceof net.Socket) socket.setNoDelay(true);
      sockets.handleUpgrade(request, socket, head, (webSocket) =>
        accept(webSocket, request, options),
      );
    }),
  );
  const bound = await bind(server, options.address);
  let closing: Promise<void> | undefined;
  return {
    address: bound.address,
    close: () => {
      closing ??= close({ server, sockets, gate, release: bound.release });
      return closing;
    },
  };
}

function accept(socket: WebSocket, request: IncomingMessage, options: ListenOptions): void {
  const { remoteAddress, remotePort } = request.socket;
  const label = remoteAddress === undefined ? "unix" : `${remoteAddress}:${remotePort}`;
  const transport = createWebSocketTransport(socket, label, options);
  try {
    options.accept(transport, request);
  } catch (fault) {
    transport.close("a fault of this side");
    (options.log ?? warn)(fault);
  }
}

function warn(fault: unknown): void {
  process.emitWarning(fault instanceof Error ? fault : String(fault));
}

interface Bound {
  readonly address: string;
  readonly release: () => void;
}

async function bind(server: http.Server, address: ListenAddress): Promise<Bound> {
  if (address.kind === "unix") {
    return { address: address.path, release: await bindUnixSocket(server, address) };
  }
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const { host, port } = address;
  // Stays for good: a failed accept is an error event too, and must not end the process.
  server.on("error", (cause) => reject(bindError(webSocketUrl(address), cause)));
  server.listen({ host, port }, resolve);
  await promise;
  return { address: urlOf(server.address()), release: () => {} };
}

function urlOf(bound: string | net.AddressInfo | null): string {
  if (bound === null || typeof bound === "string") return bound ?? "";
  return webSocketUrl({ host: bound.address, port: bound.port });
}

interface Open extends Pick<Bound, "release"> {
  readonly server: http.Server;
  readonly sockets: WebSocketServer;
  readonly gate: HttpGate;
}

async function close({ server, sockets, gate, release }: Open): Promise<void> {
  release();
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  for (const socket of sockets.clients) {
    // A socket that is paused would never see the other side's close frame.
    if (socket.isPaused) socket.resume();
    socket.close();
  }
  const grace = setTimeout(() => {
    for (const socket of sockets.clients) socket.terminate();
  }, CLOSE_GRACE_MS);
  server.closeAllConnections();
  gate.close();
  await promise;
  clearTimeout(grace);
}

const CLOSE_GRACE_MS = 1_000;
