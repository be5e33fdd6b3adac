/**
 * Real pipes. What Node gives a child for one is a pair of sockets, and a socket
 * cannot be opened again: `echo oops > /dev/stderr` would fail.
 *
 * Node cannot make a pipe. The C library can, where it is loaded; elsewhere a
 * shell makes one for every text that stands in a script, and its descriptors can
 * be opened from here. Such a pipe never has a name: one with a name could be
 * opened by any command that sees the folder it lies in, and whoever opens it
 * once its writer has left would wait for ever.
 */
import fs from "node:fs";
import net from "node:net";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { type Libc, libc } from "../../native/libc.ts";
import { isRunning } from "../../placeholders/process-identity.ts";
import { SandboxError } from "../../sandbox-error.ts";
import { closingEnds, knowToClose } from "../inherited-from.ts";
import { type ProgramBeside, startBeside } from "../start-beside.ts";
import { OutputPipe } from "./output-pipe.ts";

interface Pipe {
  readonly read: number;
  readonly write: number;
}

/** One end for us, the other for a command; `inner` is to be closed once the command has it. */
export interface OpenPipe<Outer> {
  readonly inner: number;
  readonly outer: Outer;
}

/** What a shell has words for, behind the first three and but for the last. */
const DESCRIPTORS = [3, 4, 5, 6, 7, 8];
/** The last one leads to what the maker was told when all are made. On the way there it may be anything. */
const SIGN = 9;
/** In turn, so that what was made before is never taken for what was asked for. */
const MARKS = ["/", "/proc"];
/** With so few left, more are made beside what goes on. */
const FEW = 8;
/** Whoever took one is about to start a command: a shell at work would take the processor from it. */
const REST_MS = 10;
/** Not empty: some shells make no pipe for nothing. */
const TEXT = "x\n";
/** For every other line it makes new ones, and opens what stands in it; for those between it lets go of all. */
const MAKE_PIPES = `while read -r mark; do
exec ${DESCRIPTORS.map((fd) => `${fd}<<E`).join(" ")}
${`${TEXT}E\n`.repeat(DESCRIPTORS.length)}exec ${SIGN}<"$mark"
read -r mark || exit
exec ${[...DESCRIPTORS, SIGN].map((fd) => `${fd}<&-`).join(" ")}
done`;
const PAUSE_MS = 0.2;
const PATIENCE_MS = 5000;

const spare: Pipe[] = [];
let maker: ProgramBeside | undefined;
let batches = 0;
/** What a maker was asked for and has not been heard of since. */
let asked: Asked | undefined;
/** Whether more will be asked for in a moment. */
let isDue = false;

interface Asked {
  readonly maker: ProgramBeside;
  readonly pid: number;
  readonly mark: string;
}

/** A pipe that a command writes to. */
export function openOutput(): OpenPipe<Readable> {
  const { read, write } = takePipe();
  return { inner: write, outer: new OutputPipe(read) };
}

/** A pipe that a command reads from. */
export function openInput(): OpenPipe<Writable> {
  const { read, write } = takePipe();
  return { inner: read, outer: new net.Socket({ fd: write, readable: false, writable: true }) };
}

function takePipe(): Pipe {
  const library = libc();
  return (library && makePipe(library)) ?? takeMadePipe();
}

/** See pipe(2). Nothing where that fails: then the other way tells why. */
function makePipe(library: Libc): Pipe | undefined {
  const ends = new Int32Array(2);
  if (library.pipe2(ends, O_CLOEXEC) !== 0) return undefined;
  const [read = -1, write = -1] = ends;
  return { read, write };
}

const O_CLOEXEC = 0o2000000;

function takeMadePipe(): Pipe {
  if (spare.length === 0) awaitPipes();
  const pipe = spare.pop();
  if (pipe === undefined) throw cannotMake("/bin/sh made none");
  closingEnds.delete(pipe.read);
  closingEnds.delete(pipe.write);
  if (spare.length < FEW && asked === undefined && !isDue) {
    isDue = true;
    setTimeout(makeSoon, REST_MS).unref();
  }
  return pipe;
}

function awaitPipes(): void {
  const batch = asked !== undefined && isAlive(asked.maker) ? asked : askForPipes();
  const end = performance.now() + PATIENCE_MS;
  while (isComing(batch) && performance.now() < end) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
  }
  takeAll(batch);
}

function makeSoon(): void {
  isDue = false;
  if (spare.length < FEW && asked === undefined) void makeMore();
}

/** Whoever needs one and finds none left makes some and says why that fails; here it does not matter. */
async function makeMore(): Promise<void> {
  try {
    const batch = askForPipes();
    const end = performance.now() + PATIENCE_MS;
    while (asked === batch && isComing(batch) && performance.now() < end) {
      await sleep(1, undefined, { ref: false });
    }
    // Somebody who could not wait may have taken them.
    if (asked === batch) takeAll(batch);
  } catch {
    // Said above.
  }
}

function askForPipes(): Asked {
  if (maker === undefined || !isAlive(maker)) maker = startBeside(MAKE_PIPES);
  const { pid, stdin } = maker;
  if (pid === undefined) throw cannotMake("/bin/sh cannot be started");
  const mark = MARKS[batches++ % MARKS.length] ?? "";
  stdin.write(`${mark}\n`);
  asked = { maker, pid, mark };
  return asked;
}

/** Until we have collected it nobody else gets its number. */
function isAlive({ pid, exitCode, signalCode }: ProgramBeside): boolean {
  return exitCode === null && signalCode === null && pid !== undefined && isRunning(pid);
}

function isComing(batch: Asked): boolean {
  return isAlive(batch.maker) && !isMade(batch);
}

function isMade({ maker: { exitCode, signalCode }, pid, mark }: Asked): boolean {
  if (exitCode !== null || signalCode !== null) return false;
  try {
    return fs.readlinkSync(`/proc/${pid}/fd/${SIGN}`) === mark;
  } catch {
    return false;
  }
}

/** Opened here, they are let go of there: whoever writes to one must learn when nobody reads it. */
function takeAll(batch: Asked): void {
  asked = undefined;
  try {
    if (!isMade(batch)) throw cannotMake("/bin/sh did not make one in time");
    for (const fd of DESCRIPTORS) {
      const pipe = openBoth(`/proc/${batch.pid}/fd/${fd}`);
      spare.push(pipe);
      closingEnds.add(pipe.read).add(pipe.write);
    }
    batch.maker.stdin.write("let go\n");
  } catch (error) {
    // Nobody knows what it will do next.
    batch.maker.kill("SIGKILL");
    if (maker === batch.maker) maker = undefined;
    throw error;
  }
}

/** Each end is one of its own, so that neither can be used as the other. */
function openBoth(place: string): Pipe {
  const opened: number[] = [];
  try {
    const [, inode] = /^pipe:\[(\d+)\]$/.exec(fs.readlinkSync(place)) ?? [];
    if (inode === undefined) throw new Error("/bin/sh made something else");
    const read = fs.openSync(place, fs.constants.O_RDONLY);
    opened.push(read);
    const write = fs.openSync(place, fs.constants.O_WRONLY);
    opened.push(write);
    const text = Buffer.alloc(TEXT.length);
    fs.readSync(read, text);
    if (String(text) !== TEXT) throw new Error("/bin/sh left something else in it");
    for (const fd of opened) knowToClose(fd, Number(inode));
    return { read, write };
  } catch (cause) {
    for (const fd of opened) fs.closeSync(fd);
    throw cannotMake(cause instanceof Error ? cause.message : String(cause), cause);
  }
}

function cannotMake(why: string, cause?: unknown): SandboxError {
  return new SandboxError("backendFailed", `Cannot make a pipe: ${why}`, { cause });
}
