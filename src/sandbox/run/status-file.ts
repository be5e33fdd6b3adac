/**
 * Where the back-end reports: a file without a name, and not a pipe.
 *
 * bubblewrap writes its first report before it lets the process it has made go
 * on, and gives up where nobody is left to read it; that process would then wait
 * for ever, with everything it was handed still open. A file takes the report
 * whether or not anybody lives to read it.
 */
import type { ChildProcess } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { Readable } from "node:stream";
import { newName } from "../placeholders/new-name.ts";
import { SandboxError } from "../sandbox-error.ts";

/** Opens one in a folder that no command can reach. Named as what dead runs leave, should it be left. */
export function openStatusFile(folder: string): number {
  const name = path.join(folder, `run-${newName()}.status`);
  const { O_RDWR, O_CREAT, O_EXCL, O_APPEND } = fs.constants;
  try {
    const fd = fs.openSync(name, O_RDWR | O_CREAT | O_EXCL | O_APPEND, 0o600);
    fs.unlinkSync(name);
    return fd;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new SandboxError("backendFailed", `Cannot follow the sandbox: ${why}`, { cause });
  }
}

/** What is reported until the process is over. Closes the descriptor then. */
export function followStatus(fd: number, child: ChildProcess): Readable {
  let read = 0;
  const stream = new Readable({ read() {} });
  const look = () => {
    const text = Buffer.alloc(4096);
    const length = fs.readSync(fd, text, 0, text.length, read);
    read += length;
    if (length > 0) stream.push(text.subarray(0, length));
  };
  const stop = watch(fd, look);
  // The process may have been faster than the watch.
  look();
  let isOver = false;
  const over = () => {
    if (isOver) return;
    isOver = true;
    stop();
    look();
    fs.closeSync(fd);
    stream.push(null);
  };
  child.once("exit", over);
  child.once("error", over);
  return stream;
}

/** By its descriptor, which is the only name it has; where no watch is to be had, it is looked at often. */
function watch(fd: number, look: () => void): () => void {
  try {
    const watcher = fs.watch(`/proc/self/fd/${fd}`, { persistent: false }, look);
    watcher.on("error", () => {});
    return () => watcher.close();
  } catch {
    const timer = setInterval(look, 1);
    return () => clearInterval(timer);
  }
}
