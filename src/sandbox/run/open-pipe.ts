/**
 * Real pipes. What Node gives a child for one is a pair of sockets, and a socket
 * cannot be opened again: `echo oops > /dev/stderr` would fail.
 *
 * Node cannot make a pipe, but it can open one that has a name. Names are made
 * some at a time by a program, and gone as soon as both ends are open.
 */
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import type { Readable, Writable } from "node:stream";
import type { AbsolutePath } from "../../policy/index.ts";
import { SandboxError } from "../sandbox-error.ts";

interface Pipe {
  readonly read: number;
  readonly write: number;
}

/** One end for us, the other for a command; `inner` is to be closed once the command has it. */
export interface OpenPipe<Outer> {
  readonly inner: number;
  readonly outer: Outer;
}

/** How many are made at once: to start a program for each would take longer than all else. */
const AT_ONCE = 24;
const MKFIFO = "/usr/bin/mkfifo";
const spare: Pipe[] = [];

/** A pipe that a command writes to. `folder` is out of reach of every command. */
export function openOutput(folder: AbsolutePath): OpenPipe<Readable> {
  const { read, write } = takePipe(folder);
  return { inner: write, outer: new net.Socket({ fd: read, readable: true, writable: false }) };
}

/** A pipe that a command reads from. */
export function openInput(folder: AbsolutePath): OpenPipe<Writable> {
  const { read, write } = takePipe(folder);
  return { inner: read, outer: new net.Socket({ fd: write, readable: false, writable: true }) };
}

function takePipe(folder: AbsolutePath): Pipe {
  if (spare.length === 0) makePipes(folder);
  const pipe = spare.pop();
  if (pipe !== undefined) return pipe;
  throw new SandboxError("backendFailed", `Cannot make a pipe: ${MKFIFO} made none`);
}

function makePipes(folder: AbsolutePath): void {
  removeForgotten(folder);
  // A command can see these names, which tell nothing.
  const names = Array.from({ length: AT_ONCE }, () => path.join(folder, `pipe-${randomUUID()}`));
  const { error, status, stderr } = spawnSync(MKFIFO, ["-m", "600", "--", ...names], {
    env: {},
    encoding: "utf8",
  });
  if (error !== undefined || status !== 0) {
    const why = error?.message ?? stderr.trim();
    throw new SandboxError("backendFailed", `Cannot make a pipe: ${why}`, { cause: error });
  }
  for (const name of names) spare.push(openBoth(name));
}

/** The first opening waits for nobody; each end is one of its own, so that neither can be used as the other. */
function openBoth(name: string): Pipe {
  const { O_RDWR, O_NONBLOCK, O_RDONLY, O_WRONLY } = fs.constants;
  const both = fs.openSync(name, O_RDWR | O_NONBLOCK);
  try {
    return { read: fs.openSync(name, O_RDONLY), write: fs.openSync(name, O_WRONLY) };
  } finally {
    fs.unlinkSync(name);
    fs.closeSync(both);
  }
}

const FORGOTTEN_MS = 60_000;

/** Whoever was killed between making and opening them left names behind. */
function removeForgotten(folder: AbsolutePath): void {
  for (const name of fs.readdirSync(folder).filter((one) => one.startsWith("pipe-"))) {
    const place = path.join(folder, name);
    const born = fs.lstatSync(place, { throwIfNoEntry: false })?.birthtimeMs ?? Date.now();
    if (born < Date.now() - FORGOTTEN_MS) fs.rmSync(place, { force: true });
  }
}
