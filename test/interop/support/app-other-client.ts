import { once } from "node:events";
import { WebSocket } from "ws";
import { AppClient } from "../../os/app-server/support/app-client.ts";

/** A client of our own on a server that others are connected to; `end` closes it. */
export async function otherClient(url: string): Promise<{ client: AppClient; end: () => void }> {
  const socket = new WebSocket(url);
  const client = new AppClient({
    send: (text) => socket.send(text),
    close: () => socket.close(),
  });
  socket.on("message", (bytes) => client.hear(String(bytes)));
  socket.on("close", () => client.ended());
  await once(socket, "open");
  await client.initialize();
  return { client, end: () => socket.terminate() };
}
