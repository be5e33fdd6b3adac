/**
 * Real pipes. What Node gives a child for one is a pair of sockets, and a socket
 * cannot be opened again: `echo oops > /dev/stderr` would fail.
 *
 * Node cannot make a pipe, but a shell makes one for every text that stands in a
 * script, and its descriptors can be opened from here. Such a pipe never has a
 * name: one with a name could be opened by any command that sees the folder it
 * lies in, and whoever opens it once its writer has left would wait for ever.
 */
import fs from "node:fs";
import net from "node:net";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { isRunning } from "../placeholders/process-identity.ts";
import { SandboxError } from "../sandbox-error.ts";
import { closingEnds } from "./inherited-from.ts";
import { type ProgramBeside, startBeside } from "./start-beside.ts";

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
/** For every other line it makes new ones, the last one last; for those between it lets go of them. */
const MAKE_PIPES = `while read -r line; do
exec ${DESCRIPTORS.map((fd) => `${fd}<<E`).join(" ")}
${`${TEXT}E\n`.repeat(DESCRIPTORS.length)}read -r line || exit
exec ${DESCRIPTORS.map((fd) => `${fd}<&-`).join(" ")}
done`;
const PAUSE_MS = 0.2;
const PATIENCE_MS = 5000;

const spare: Pipe[] = [];
let maker: ProgramBeside | undefined;
/** The maker that was asked for more and has not been heard of since. */
let asked: number | undefined;
/** The last pipe of those that were made before: as long as the maker has that, it has made no others. */
let taken = "";

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
  if (spare.length === 0) awaitPipes();
  const pipe = spare.pop();
  if (pipe === undefined) throw cannotMake("/bin/sh made none");
  closingEnds.delete(pipe.read);
  closingEnds.delete(pipe.write);
  if (spare.length < FEW && asked === undefined) void makeMore();
  return pipe;
}

function awaitPipes(): void {
  const pid = asked !== undefined && isRunning(asked) ? asked : askForPipes();
  const end = performance.now() + PATIENCE_MS;
  while (!isMade(pid) && performance.now() < end) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
  }
  takeAll(pid);
}

/** Whoever needs one and finds none left makes some and says why that fails; here it does not matter. */
async function makeMore(): Promise<void> {
  try {
    const pid = askForPipes();
    const end = performance.now() + PATIENCE_MS;
    while (asked === pid && !isMade(pid) && performance.now() < end) {
      await sleep(1, undefined, { ref: false });
    }
    // Somebody who could not wait may have taken them.
    if (asked === pid) takeAll(pid);
  } catch {
    // Said above.
  }
}

function askForPipes(): number {
  if (maker?.pid === undefined || !isRunning(maker.pid)) maker = startBeside(MAKE_PIPES);
  const { pid, stdin } = maker;
  if (pid === undefined) throw cannotMake("/bin/sh cannot be started");
  stdin.write("make\n");
  asked = pid;
  return pid;
}

/** True also when it is over, and then there is nothing to open. */
function isMade(pid: number): boolean {
  const last = lastOf(pid);
  return !isRunning(pid) || (last.startsWith(A_PIPE) && last !== taken);
}

const A_PIPE = "pipe:[";

function lastOf(pid: number): string {
  try {
    return fs.readlinkSync(`/proc/${pid}/fd/${DESCRIPTORS.at(-1)}`);
  } catch {
    return "";
  }
}

/** Opened here, they are let go of there: whoever writes to one must learn when nobody reads it. */
function takeAll(pid: number): void {
  asked = undefined;
  try {
    if (!isMade(pid)) throw cannotMake("/bin/sh did not make one in time");
    taken = lastOf(pid);
    for (const fd of DESCRIPTORS) {
      const pipe = openBoth(`/proc/${pid}/fd/${fd}`);
      spare.push(pipe);
      closingEnds.add(pipe.read).add(pipe.write);
    }
    maker?.stdin.write("let go\n");
  } catch (error) {
    // Nobody knows what it will do next.
    maker?.kill("SIGKILL");
    maker = undefined;
    throw error;
  }
}

/** Each end is one of its own, so that neither can be used as the other. */
function openBoth(place: string): Pipe {
  const opened: number[] = [];
  try {
    if (!fs.readlinkSync(place).startsWith(A_PIPE)) throw new Error("/bin/sh made something else");
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
