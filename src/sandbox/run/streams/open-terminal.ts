/**
 * A terminal for a command: the inner side is its standard streams, the outer side is ours.
 *
 * Only the pair is taken from the library; starting the process stays with
 * `launch`, so that a command with a terminal is confined like any other.
 */
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { type Readable, Writable } from "node:stream";
import tty from "node:tty";
import { findNative } from "../../native/find-native.ts";
import { SandboxError } from "../../sandbox-error.ts";

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

export interface Terminal {
  /** The descriptor for the command; to be closed once it has it. */
  readonly inner: number;
  /** What the command prints. */
  readonly outer: Readable;
  /** What is written goes in as typed. Whoever destroys it closes the terminal. */
  readonly input: Writable;
  resize(size: TerminalSize): void;
}

export const DEFAULT_SIZE: TerminalSize = { columns: 80, rows: 24 };

interface NativePty {
  open(columns: number, rows: number): { readonly master: number; readonly slave: number };
  resize(fd: number, columns: number, rows: number): void;
}

/** Opens a pair. Throws {@link SandboxError} where this host has none to give. */
export function openTerminal({ columns, rows }: TerminalSize): Terminal {
  try {
    const native = nativePty();
    const { master, slave } = native.open(columns, rows);
    const outer = new tty.ReadStream(master);
    return {
      ...{ inner: slave, outer, input: new TypedInput(outer, master) },
      resize: (size) => native.resize(master, size.columns, size.rows),
    };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new SandboxError("unsupportedHost", `Cannot open a terminal: ${why}`, { cause });
  }
}

const SHORTEST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 128;

/**
 * What is typed, as far as there is room for it.
 *
 * Node's own stream does not wait for room on this side of a terminal: it tries again and again
 * until the command reads, and does nothing else in this process meanwhile.
 */
class TypedInput extends Writable {
  readonly #terminal: Readable;
  readonly #fd: number;
  #retry: NodeJS.Timeout | undefined;

  constructor(terminal: Readable, fd: number) {
    super();
    this.#terminal = terminal;
    this.#fd = fd;
    terminal.once("close", () => this.destroy());
  }

  override _write(bytes: Buffer, _encoding: string, taken: () => void): void {
    this.#type(bytes, taken, SHORTEST_PAUSE_MS);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.#retry);
    this.#terminal.destroy();
    done(error);
  }

  #type(bytes: Buffer, taken: () => void, pauseMs: number): void {
    const room = this.#put(bytes);
    if (room === bytes.length) {
      taken();
      return;
    }
    const next = room > 0 ? SHORTEST_PAUSE_MS : Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    this.#retry = setTimeout(() => this.#type(bytes.subarray(room), taken, next), pauseMs);
  }

  /** How much went in. Nobody reads what a terminal that is over does not take. */
  #put(bytes: Buffer): number {
    // The number of its descriptor may be that of another file by then.
    if (this.#terminal.destroyed) return bytes.length;
    try {
      return fs.writeSync(this.#fd, bytes);
    } catch (error) {
      return isFull(error) ? 0 : bytes.length;
    }
  }
}

function isFull(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EAGAIN";
}

/** Loaded only when somebody wants a terminal. The native part alone: the rest starts processes itself. */
function nativePty(): NativePty {
  const part = `@lydell/node-pty-${process.platform}-${process.arch}`;
  const folder = findNative(["@lydell", part]);
  if (folder === undefined) throw new Error(LACK);
  return createRequire(import.meta.url)(path.join(folder, part, "pty.node"));
}

/** It comes along unless whoever installed this package left optional parts out, or laid them out by links. */
const LACK =
  "the package @lydell/node-pty is not installed. Run: npm install @lydell/node-pty. It has to lie beside writ as a folder: a link could be turned by a command";
