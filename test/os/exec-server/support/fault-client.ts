/** A program of its own, to be killed: a client whose every message is a line of its input, or of its output. */
import { createInterface } from "node:readline";
import { WebSocket } from "ws";

const socket = new WebSocket(process.argv[2] ?? "", { perMessageDeflate: false });
const lines: string[] = [];

socket.on("open", () => {
  for (const line of lines.splice(0)) socket.send(line);
});
socket.on("message", (bytes) => process.stdout.write(`${bytes}\n`));
socket.on("error", () => {}).on("close", () => process.exit());

createInterface({ input: process.stdin })
  .on("line", (line) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(line);
    else lines.push(line);
  })
  .on("close", () => process.exit());
