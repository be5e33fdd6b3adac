/** Case 64, and what one connection can make the server hold. */
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { sharedLab, socketLink, startLab, uri } from "./support/exec-lab.ts";
import { connectFrames } from "./support/frame-link.ts";
import { WireClient } from "./support/wire-client.ts";
import { closed, startOf } from "./support/wire-process.ts";

const MIB = 1 << 20;
const lab = sharedLab();

async function openFrames() {
  const link = await connectFrames(lab().url);
  const ask = async (...parts: string[]) => {
    link.send(...parts);
    const frames = await link.message();
    return { frames, answer: JSON.parse(String(Buffer.concat(frames.map(({ bytes }) => bytes)))) };
  };
  await ask('{"id":1,"method":"initialize","params":{"clientName":"test"}}');
  link.send('{"method":"initialized"}');
  return { link, ask };
}

/** A status request with so many bytes that nobody reads, and how it ends. */
const padded = (bytes: number) => {
  const open = '{"id":2,"method":"environment/status","padding":"';
  return [open, "x".repeat(bytes), '"}'] as const;
};

it("64 takes a message of 20 MiB in fragments", async () => {
  const { ask } = await openFrames();
  const [open, padding, end] = padded(20 * MIB);
  const half = padding.length / 2;
  const { answer } = await ask(open + padding.slice(0, half), padding.slice(half) + end);
  expect(answer).toEqual({ id: 2, result: { status: "ready" } });
});

it("64 takes a single frame of 17 MiB, which Codex would not", async () => {
  const { ask } = await openFrames();
  const { answer } = await ask(padded(17 * MIB).join(""));
  expect(answer).toEqual({ id: 2, result: { status: "ready" } });
});

it("64 ends a connection that sends more than 64 MiB at once, and no other", async () => {
  const other = await lab().open();
  const { link } = await openFrames();
  const [open, padding] = padded(13 * MIB);
  link.send(open, padding, padding, padding, padding, padding);
  await link.closed();
  expect(await other.call("environment/status")).toEqual({ status: "ready" });
});

it("64 ends over stdio with a line of more than 64 MiB", async () => {
  const stdio = await startLab({ over: "stdio" });
  const client = await stdio.open();
  client.raw(padded(65 * MIB).join(""));
  await client.link.closed;
});

it("64 sends no frame over 16 MiB, and all of the answer", async () => {
  const file = path.join(lab().place.workspace, "large");
  const bytes = Buffer.alloc(20 * MIB, "0123456789");
  fs.writeFileSync(file, bytes);
  const { ask } = await openFrames();
  const request = { id: 3, method: "fs/readFile", params: { path: uri(file) } };
  const { frames, answer } = await ask(JSON.stringify(request));
  expect(frames.length).toBeGreaterThan(1);
  expect(Math.max(...frames.map((frame) => frame.bytes.length))).toBeLessThanOrEqual(16 * MIB);
  expect(Buffer.from(answer.result.dataBase64, "base64").equals(bytes)).toBe(true);
});

it("64 answers over stdio with one line, however long", async () => {
  const stdio = await startLab({ over: "stdio" });
  const client = await stdio.open();
  const file = path.join(stdio.place.workspace, "large");
  fs.writeFileSync(file, Buffer.alloc(20 * MIB, "x"));
  const { dataBase64 } = await client.call<{ dataBase64: string }>("fs/readFile", {
    path: uri(file),
  });
  expect(Buffer.from(dataBase64, "base64").length).toBe(20 * MIB);
});

it("holds a process up while its client does not read, and loses nothing", async () => {
  const link = await socketLink(lab().url);
  const client = new WireClient(link);
  await client.open();
  const start = startOf(lab().place.workspace, "cat /dev/zero");
  const before = residentMiB(lab().server.pid);
  await client.call("process/start", start);
  link.socket.pause();
  await sleep(1500);
  expect(residentMiB(lab().server.pid) - before).toBeLessThan(150);
  const ended = client.call("process/terminate", { processId: start.processId });
  link.socket.resume();
  expect(await ended).toEqual({ running: true });
  const { events } = await closed(client, start.processId);
  expect(events.map(({ params }) => params.seq)).toEqual(events.map((_, index) => index + 1));
});

function residentMiB(pid: number | undefined): number {
  const status = fs.readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024;
}
