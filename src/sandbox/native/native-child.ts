/**
 * A child that Node did not start, as Node shows one that it did.
 *
 * The kernel says that some child is over, and each that lives is then asked
 * for. Until its end was collected nobody else can have its number.
 */
import { EventEmitter } from "node:events";
import os from "node:os";
import type { Child, ChildStream } from "../run/child.ts";
import type { Libc } from "./libc.ts";

/** See waitpid(2). */
const WNOHANG = 1;
/** The kernel tells it at once; this is for a signal that somebody else took. */
const LOOK_AGAIN_MS = 1000;

const living = new Set<NativeChild>();
let timer: NodeJS.Timeout | undefined;

export class NativeChild extends EventEmitter implements Child {
  readonly pid: number | undefined;
  readonly stdio: readonly ChildStream[];
  exitCode: number | null = null;
  signalCode: NodeJS.Signals | null = null;
  readonly #libc: Libc;
  #isAwaited = true;

  /** Without a number it could not be started, and whoever has it tells why. */
  constructor(libc: Libc, pid: number | undefined, stdio: readonly ChildStream[]) {
    super();
    this.#libc = libc;
    this.pid = pid;
    this.stdio = stdio;
    if (pid === undefined) return;
    living.add(this);
    follow();
  }

  get isAwaited(): boolean {
    return this.#isAwaited;
  }

  kill(signal: NodeJS.Signals | number = "SIGTERM"): boolean {
    if (this.pid === undefined || !living.has(this)) return false;
    try {
      return process.kill(this.pid, signal);
    } catch {
      return false;
    }
  }

  ref(): void {
    this.#isAwaited = true;
    follow();
  }

  unref(): void {
    this.#isAwaited = false;
    follow();
  }

  /** Collects its end, if that has come. */
  look(): void {
    // Once it was collected somebody else may have its number.
    if (this.pid === undefined || !living.has(this)) return;
    const status = new Int32Array(1);
    const found = this.#libc.waitpid(this.pid, status, WNOHANG);
    if (found === 0) return;
    living.delete(this);
    follow();
    // Where somebody else has collected it, nobody knows how it ended: not well, then.
    const [word = 0] = found === this.pid ? status : [SIGKILL];
    this.signalCode = signalOf(word);
    this.exitCode = this.signalCode === null ? (word >> 8) & 0xff : null;
    this.emit("exit", this.exitCode, this.signalCode);
  }
}

const SIGKILL = os.constants.signals.SIGKILL;

/** The lower seven bits of what waitpid(2) says are the signal that ended it. */
function signalOf(word: number): NodeJS.Signals | null {
  const number = word & 0x7f;
  if (number === 0) return null;
  const found = Object.entries(os.constants.signals).find(([, one]) => one === number);
  return (found?.[0] ?? "SIGKILL") as NodeJS.Signals;
}

function lookAtAll(): void {
  for (const child of [...living]) child.look();
}

/** Listens while there is somebody to listen for, and keeps this process alive for those who are awaited. */
function follow(): void {
  if (living.size === 0) {
    process.removeListener("SIGCHLD", lookAtAll);
    clearInterval(timer);
    timer = undefined;
    return;
  }
  if (timer === undefined) {
    process.on("SIGCHLD", lookAtAll);
    timer = setInterval(lookAtAll, LOOK_AGAIN_MS);
    // Of one that was over before somebody listened nobody was told.
    setImmediate(lookAtAll);
  }
  if ([...living].some(({ isAwaited }) => isAwaited)) timer.ref();
  else timer.unref();
}
