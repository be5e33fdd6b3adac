/**
 * Where a built sandbox waits for the word to run its command.
 *
 * bubblewrap reads from a descriptor and goes on with the first byte, but also
 * at the end of the file: if writ died, a pipe would open by itself. The outer
 * side of a pseudo-terminal has no end as long as somebody holds it, and
 * bubblewrap holds it too. What is written to it comes back as an echo.
 */
import fs from "node:fs";
import { SandboxError } from "../sandbox-error.ts";

export interface Gate {
  readonly fd: number;
  /** Lets the command run. */
  open(): void;
  close(): void;
}

/** Makes a gate that only {@link Gate.open} opens. */
export function createGate(): Gate {
  const fd = terminal();
  return {
    fd,
    open: () => {
      fs.writeSync(fd, "\n");
    },
    close: () => fs.closeSync(fd),
  };
}

function terminal(): number {
  try {
    return fs.openSync("/dev/ptmx", fs.constants.O_RDWR | fs.constants.O_NOCTTY);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new SandboxError("unsupportedHost", `Cannot make a gate: ${why}`, { cause });
  }
}
