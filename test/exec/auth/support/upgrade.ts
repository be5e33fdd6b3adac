/** A client that says exactly what it is told, to a listener on this machine. */
import { once } from "node:events";
import net from "node:net";
import { onTestFinished } from "vitest";
import {
  type ListenOptions,
  listenWebSocket,
  type WebSocketListener,
} from "../../../../src/rpc/index.ts";

/** A listener for one test, with the one route of an exec-server. */
export async function listen(options: Partial<ListenOptions>): Promise<WebSocketListener> {
  const listener = await listenWebSocket({
    address: { kind: "tcp", host: "127.0.0.1", port: 0 },
    accept() {},
    route: ({ url }) => (url === "/readyz" ? { status: 200 } : undefined),
    ...options,
  });
  onTestFinished(() => listener.close());
  return listener;
}

/** The lines of an upgrade request, without the empty line that ends it. */
export function upgradeLines(headers: readonly string[] = [], host = "127.0.0.1"): string {
  return [
    "GET / HTTP/1.1",
    `Host: ${host}`,
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ...headers,
  ].join("\r\n");
}

/** Opens a connection and writes the request. */
export function writeRequest({ address }: WebSocketListener, lines: string): net.Socket {
  const socket = net.connect({ port: Number(new URL(address).port), host: "127.0.0.1" });
  socket.on("error", () => {});
  socket.write(`${lines}\r\n\r\n`, "latin1");
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** The status and body of what a listener answers; 101 when it serves. */
export async function answerTo(listener: WebSocketListener, lines: string) {
  const socket = writeRequest(listener, lines);
  let text = "";
  socket.on("data", (bytes) => {
    text += bytes.toString("latin1");
    if (text.startsWith("HTTP/1.1 101")) socket.destroy();
  });
  await once(socket, "close");
  const [head = "", body = ""] = text.split("\r\n\r\n");
  return { status: Number(head.split(" ")[1]), body };
}
