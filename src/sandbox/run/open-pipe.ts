/**
 * Real pipes. What Node gives a child for one is a pair of sockets, and a socket
 * cannot be opened again: `echo oops > /dev/stderr` would fail.
 *
 * Node cannot make a pipe, but it can open one that has a name. Names are made
 * some at a time by a program, and gone as soon as both ends are open.
 */
import { spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
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
/** With so few left, more are made beside what goes on. */
const FEW = 6;
const spare: Pipe[] = [];
const spareEnds = new Set<number>();
let isMaking = false;

/** Whether a descriptor is an end that nobody has yet; these close by themselves in a child. */
export function isSpare(fd: number): boolean {
  return spareEnds.has(fd);
}

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
  if (pipe === undefined) throw cannotMake(`${MKFIFO} made none`);
  spareEnds.delete(pipe.read);
  spareEnds.delete(pipe.write);
  if (spare.length < FEW && !isMaking) void makeMore(folder);
  return pipe;
}

function makePipes(folder: AbsolutePath): void {
  const names = newNames(folder);
  const { error, status, stderr } = spawnSync(MKFIFO, argumentsFor(names), {
    env: {},
    encoding: "utf8",
  });
  if (error !== undefined || status !== 0) throw cannotMake(error?.message ?? stderr.trim());
  openAll(names);
}

/** Whoever needs one and finds none left makes some and says why that fails; here it does not matter. */
async function makeMore(folder: AbsolutePath): Promise<void> {
  isMaking = true;
  try {
    const names = newNames(folder);
    const child = spawn(MKFIFO, argumentsFor(names), { env: {}, stdio: "ignore" });
    child.unref();
    const [status] = await once(child, "exit");
    if (status === 0) openAll(names);
  } catch {
    // Said above.
  } finally {
    isMaking = false;
  }
}

function argumentsFor(names: readonly string[]): string[] {
  return ["-m", "600", "--", ...names];
}

function cannotMake(why: string): SandboxError {
  return new SandboxError("backendFailed", `Cannot make a pipe: ${why}`);
}

/** A command can see these names, which tell nothing. */
function newNames(folder: AbsolutePath): string[] {
  removeForgotten(folder);
  return Array.from({ length: AT_ONCE }, () => path.join(folder, `pipe-${randomUUID()}`));
}

function openAll(names: readonly string[]): void {
  for (const name of names) {
    const pipe = openBoth(name);
    spare.push(pipe);
    spareEnds.add(pipe.read).add(pipe.write);
  }
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
