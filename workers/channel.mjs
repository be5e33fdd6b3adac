/**
 * The worker's end of the protocol `mcp-repl-worker`, version 6: one JSON object per line.
 *
 * Writes are synchronous. What was sent has left this process, also where it is
 * about to end or its event loop is blocked by the language it hosts.
 */
import { readSync, writeSync } from "node:fs";

/** Base64 makes 8 KiB of it, the most that one message carries. */
const CHUNK = 6144;
const BATCH = 32;
const pause = new Int32Array(new SharedArrayBuffer(4));

/** Takes the descriptors out of the environment, and with them every variable user code must not see. */
export function takeDescriptors(env) {
  const descriptors = { input: descriptor(env, "READ"), output: descriptor(env, "WRITE") };
  for (const name of Object.keys(env)) {
    if (/^(?:MCP_REPL|WRIT)_/.test(name)) delete env[name];
  }
  return descriptors;
}

/** Writes messages of the worker to a descriptor. */
export function createSender(fd) {
  const send = (...messages) =>
    writeAll(fd, messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
  const greet = (name, images) =>
    send({
      type: "worker_ready",
      protocol: { name: "mcp-repl-worker", version: 6 },
      worker: { name, version: "1" },
      capabilities: { images },
    });
  const text = (stream, bytes) => {
    for (let at = 0; at < bytes.length; at += CHUNK * BATCH) {
      send(...messagesOf(stream, bytes.subarray(at, at + CHUNK * BATCH)));
    }
  };
  return { send, greet, text };
}

/** Cuts what arrives into lines and hands each to `take` as a message. */
export function createReceiver(take) {
  let rest = "";
  const decoder = new TextDecoder();
  return (chunk) => {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.trim() !== "") take(parse(line));
  };
}

/** Reads what a non-blocking descriptor holds now, and never waits for more. */
export function drain(fd, take) {
  const buffer = Buffer.allocUnsafe(65_536);
  for (;;) {
    const count = readNow(fd, buffer);
    if (count === 0) return;
    take(Buffer.from(buffer.subarray(0, count)));
  }
}

function descriptor(env, direction) {
  const name = `MCP_REPL_IPC_${direction}_FD`;
  const value = env[name] ?? "";
  if (/^\d+$/.test(value)) return Number(value);
  throw new Error(`Cannot start the worker: ${name} is "${value}", expected a descriptor`);
}

function messagesOf(stream, bytes) {
  const messages = [];
  for (let at = 0; at < bytes.length; at += CHUNK) {
    const part = Buffer.from(bytes.subarray(at, at + CHUNK));
    messages.push({ type: "output_text", stream, data_b64: part.toString("base64") });
  }
  return messages;
}

/** What a line says; of one that is not JSON, that. */
export function parse(line) {
  try {
    return JSON.parse(line);
  } catch {
    return { type: "malformed" };
  }
}

function writeAll(fd, text) {
  let bytes = Buffer.from(text);
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(writeSync(fd, bytes));
    } catch (error) {
      // Its reader has left: the server is gone, and nobody is left to work for.
      if (error.code !== "EAGAIN") process.exit(1);
      Atomics.wait(pause, 0, 0, 1);
    }
  }
}

function readNow(fd, buffer) {
  try {
    return readSync(fd, buffer);
  } catch (error) {
    if (error.code === "EAGAIN") return 0;
    throw error;
  }
}
