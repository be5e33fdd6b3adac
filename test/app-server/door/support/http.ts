/** Requests as they are written on the wire, to the door a test opened. */
import { once } from "node:events";
import net from "node:net";
import { onTestFinished } from "vitest";
import { upgradeLines } from "../../../exec/auth/support/upgrade.ts";

export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** The status and body of what the door answers; 101 when it serves. */
export async function answerTo(address: string, lines: string): Promise<Answer> {
  const socket = address.startsWith("unix://")
    ? net.connect({ path: address.slice("unix://".length) })
    : net.connect({ port: Number(new URL(address).port), host: "127.0.0.1" });
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {});
  socket.write(`${lines}\r\n\r\n`, "latin1");
  let text = "";
  socket.on("data", (bytes) => {
    text += bytes.toString("latin1");
    if (text.startsWith("HTTP/1.1 101")) socket.destroy();
  });
  await once(socket, "close");
  const [head = "", body = ""] = text.split("\r\n\r\n");
  return { status: Number(head.split(" ")[1]), body };
}

/** What an upgrade with these headers is answered with. */
export function upgrade(address: string, ...headers: string[]): Promise<Answer> {
  return answerTo(address, upgradeLines(headers));
}

/** What a plain request is answered with. */
export function plain(address: string, first: string, ...headers: string[]): Promise<Answer> {
  return answerTo(address, [`${first} HTTP/1.0`, "Host: 127.0.0.1", ...headers].join("\r\n"));
}
