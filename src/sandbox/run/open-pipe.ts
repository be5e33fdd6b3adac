/**
 * Real pipes. What Node gives a child for one is a pair of sockets, and a socket
 * cannot be opened again: `echo oops > /dev/stderr` would fail.
 *
 * Node cannot make a pipe, but a shell makes one for every text that stands in a
 * script, and its descriptors can be opened from here. Such a pipe never has a
 * name: one with a name could be opened by any command that sees the folder it
 * lies in, and whoever opens it once its writer has left would wait for ever.
 */
import { type ChildProcess, spawn } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
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

/** All that a shell has words for, behind the first three. */
const DESCRIPTORS = [3, 4, 5, 6, 7, 8, 9];
/** With so few left, more are made beside what goes on. */
const FEW = 6;
/** Not empty: some shells make no pipe for nothing. */
const TEXT = "x\n";
/** The last program shows by its name that all are made. It is ended as soon as they are open here. */
const HOLDER = "sleep";
const SCRIPT = `exec ${DESCRIPTORS.map((fd) => `${fd}<<E`).join(" ")}
${`${TEXT}E\n`.repeat(DESCRIPTORS.length)}exec /bin/${HOLDER} 9`;
const PAUSE_MS = 0.2;
const PATIENCE_MS = 5000;

const spare: Pipe[] = [];
const spareEnds = new Set<number>();
let isMaking = false;

/** Whether a descriptor is an end that nobody has yet; these close by themselves in a child. */
export function isSpare(fd: number): boolean {
  return spareEnds.has(fd);
}

/** A pipe that a command writes to. */
export function openOutput(): OpenPipe<Readable> {
  const { read, write } = takePipe();
  return { inner: write, outer: new net.Socket({ fd: read, readable: true, writable: false }) };
}

/** A pipe that a command reads from. */
export function openInput(): OpenPipe<Writable> {
  const { read, write } = takePipe();
  return { inner: read, outer: new net.Socket({ fd: write, readable: false, writable: true }) };
}

function takePipe(): Pipe {
  if (spare.length === 0) makePipes();
  const pipe = spare.pop();
  if (pipe === undefined) throw cannotMake("/bin/sh made none");
  spareEnds.delete(pipe.read);
  spareEnds.delete(pipe.write);
  if (spare.length < FEW && !isMaking) void makeMore();
  return pipe;
}

function makePipes(): void {
  const holder = startHolder();
  try {
    const end = performance.now() + PATIENCE_MS;
    while (!isReady(holder)) {
      if (performance.now() > end) throw cannotMake("/bin/sh did not make one in time");
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
    openAll(holder);
  } finally {
    holder.kill("SIGKILL");
  }
}

/** Whoever needs one and finds none left makes some and says why that fails; here it does not matter. */
async function makeMore(): Promise<void> {
  isMaking = true;
  const holder = startHolder();
  try {
    const end = performance.now() + PATIENCE_MS;
    while (!isReady(holder) && performance.now() < end) await sleep(1, undefined, { ref: false });
    openAll(holder);
  } catch {
    // Said above.
  } finally {
    holder.kill("SIGKILL");
    isMaking = false;
  }
}

function startHolder(): ChildProcess {
  const holder = spawn("/bin/sh", ["-c", SCRIPT], { cwd: "/", env: {}, stdio: "ignore" });
  holder.on("error", () => {});
  holder.unref();
  return holder;
}

/** True also when it is over, and then there is nothing to open. */
function isReady({ pid }: ChildProcess): boolean {
  try {
    return fs.readFileSync(`/proc/${pid}/comm`, "utf8") === `${HOLDER}\n`;
  } catch {
    return true;
  }
}

function openAll({ pid }: ChildProcess): void {
  for (const fd of DESCRIPTORS) {
    const pipe = openBoth(`/proc/${pid}/fd/${fd}`);
    spare.push(pipe);
    spareEnds.add(pipe.read).add(pipe.write);
  }
}

/** Each end is one of its own, so that neither can be used as the other. */
function openBoth(place: string): Pipe {
  const opened: number[] = [];
  try {
    if (!fs.readlinkSync(place).startsWith("pipe:["))
      throw new Error("/bin/sh made something else");
    const read = fs.openSync(place, fs.constants.O_RDONLY);
    opened.push(read);
    const write = fs.openSync(place, fs.constants.O_WRONLY);
    opened.push(write);
    const text = Buffer.alloc(TEXT.length);
    if (fs.readSync(read, text) !== TEXT.length) throw new Error("/bin/sh left it empty");
    return { read, write };
  } catch (cause) {
    for (const fd of opened) fs.closeSync(fd);
    throw cannotMake(cause instanceof Error ? cause.message : String(cause));
  }
}

function cannotMake(why: string): SandboxError {
  return new SandboxError("backendFailed", `Cannot make a pipe: ${why}`);
}
