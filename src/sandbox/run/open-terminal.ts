/**
 * A terminal for a command: the inner side is its standard streams, the outer side is ours.
 *
 * Only the pair is taken from the library; starting the process stays with
 * `launch`, so that a command with a terminal is confined like any other.
 */
import { createRequire } from "node:module";
import tty from "node:tty";
import { SandboxError } from "../sandbox-error.ts";

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

export interface Terminal {
  /** The descriptor for the command; to be closed once it has it. */
  readonly inner: number;
  /** What the command prints comes out, what is written goes in as typed. */
  readonly outer: tty.ReadStream;
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
    return {
      inner: slave,
      outer: new tty.ReadStream(master),
      resize: (size) => native.resize(master, size.columns, size.rows),
    };
  } catch (cause) {
    const why = reasonOf(cause);
    throw new SandboxError("unsupportedHost", `Cannot open a terminal: ${why}`, { cause });
  }
}

/** The library comes along unless whoever installed this package left optional parts out. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if (!("code" in cause) || cause.code !== "MODULE_NOT_FOUND") return cause.message;
  return "the package @lydell/node-pty is not installed. Run: npm install @lydell/node-pty";
}

/** Loaded only when somebody wants a terminal. The native part alone: the rest starts processes itself. */
function nativePty(): NativePty {
  const library = createRequire(import.meta.url).resolve("@lydell/node-pty");
  const { platform, arch } = process;
  return createRequire(library)(`@lydell/node-pty-${platform}-${arch}/pty.node`);
}
