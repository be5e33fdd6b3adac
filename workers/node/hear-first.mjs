/** Waits for the first cell, in the thread that runs it. */
import { readSync } from "node:fs";
import { parse } from "../channel.mjs";

const NEWLINE = 10;
const pause = new Int32Array(new SharedArrayBuffer(4));

/** The first cell, and what came behind it; no cell where there is to be none. */
export function hearFirst(fd) {
  for (let rest = Buffer.alloc(0); ; ) {
    const read = readLine(fd, rest);
    rest = read.rest;
    const { type, input } = parse(read.line);
    if (type === "shutdown") return { rest };
    if (type === "input_batch") return { first: cellOf(input), rest };
    // There is nothing to interrupt yet.
    if (type !== "interrupt") process.kill(process.pid, "SIGKILL");
  }
}

/** The text of a cell, with the line ends of this system. */
export function cellOf(input) {
  return input.replaceAll("\r\n", "\n").replaceAll("\r", "\n");
}

function readLine(fd, begun) {
  const pieces = [begun];
  while (!pieces.at(-1).includes(NEWLINE)) pieces.push(readSome(fd));
  const all = Buffer.concat(pieces);
  const end = all.indexOf(NEWLINE);
  return { line: all.toString("utf8", 0, end), rest: all.subarray(end + 1) };
}

function readSome(fd) {
  const buffer = Buffer.allocUnsafe(65_536);
  try {
    const count = readSync(fd, buffer);
    // The server is gone: nobody is left to work for.
    if (count === 0) process.kill(process.pid, "SIGKILL");
    return buffer.subarray(0, count);
  } catch (error) {
    if (error.code === "EAGAIN") Atomics.wait(pause, 0, 0, 1);
    else if (error.code !== "EINTR") throw error;
    return Buffer.alloc(0);
  }
}
