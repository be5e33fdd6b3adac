/**
 * Where the back-end reports: a file without a name, and not a pipe.
 *
 * bubblewrap writes its first report before it lets the process it has made go
 * on, and gives up where nobody is left to read it; that process would then wait
 * for ever, with everything it was handed still open. A file takes the report
 * whether or not anybody lives to read it, and has room for it: a disk that is
 * full is noticed here, before anything is started. Making one can be dear, so a
 * process uses one again behind what was reported before: only the launcher has
 * it, and that one is over then.
 */
import fs from "node:fs";
import path from "node:path";
import { newName } from "../placeholders/new-name.ts";
import { SandboxError } from "../sandbox-error.ts";
import type { Child } from "./child.ts";
import { closingEnds } from "./inherited-from.ts";
import { StatusReport } from "./status-report.ts";

export interface StatusFile {
  readonly folder: string;
  readonly fd: number;
  /** Where the reports of this run begin. */
  readonly start: number;
}

let mostKept = 8;
/** What is taken up at once, with zeros, and what one run may need of it. */
const [ROOM, ENOUGH] = [1 << 14, 1 << 12];
const kept = new Map<string, StatusFile[]>();

/**
 * From now on none is kept: there is no next command. What it takes up is free when a run is over, so that
 * what has to be written then finds room on a disk that the command has filled.
 */
export function keepNoStatusFiles(): void {
  mostKept = 0;
}

/** Opens one in a folder that no command can reach. Named as what dead runs leave, should it be left. */
export function openStatusFile(folder: string): StatusFile {
  const known = kept.get(folder)?.pop();
  if (known !== undefined) return known;
  const name = path.join(folder, `run-${newName()}.status`);
  try {
    const fd = fs.openSync(name, "wx+", 0o600);
    fs.unlinkSync(name);
    makeRoom(fd);
    closingEnds.add(fd);
    return { folder, fd, start: 0 };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new SandboxError("backendFailed", `Cannot follow the sandbox: ${why}`, { cause });
  }
}

/** By position, so that the first report still goes to the beginning. */
function makeRoom(fd: number): void {
  try {
    for (let at = 0; at < ROOM; ) at += fs.writeSync(fd, Buffer.alloc(ROOM - at), 0, ROOM - at, at);
  } catch (error) {
    fs.closeSync(fd);
    throw error;
  }
}

/** To be called when nobody writes to it any more, with where the reports end. */
export function closeStatusFile({ folder, fd }: StatusFile, end: number): void {
  const files = kept.get(folder) ?? [];
  kept.set(folder, files);
  if (files.length < mostKept && end <= ROOM - ENOUGH) {
    files.push({ folder, fd, start: end });
    return;
  }
  closingEnds.delete(fd);
  fs.closeSync(fd);
}

/** Used by one reader at a time, and only while it reads. */
const BUFFER = Buffer.alloc(4096);

/** It is mostly asked when there is something; this is for a back-end that hangs. */
const PAUSE_MS = 2;

/** What is reported until the process is over. Closes the file then. */
export function followStatus(file: StatusFile, child: Child): StatusReport {
  let at = file.start;
  const report = new StatusReport(() => {
    const length = fs.readSync(file.fd, BUFFER, 0, BUFFER.length, at);
    const [text = ""] = BUFFER.toString("latin1", 0, length).split("\0", 1);
    at += text.length;
    return text;
  });
  const timer = setInterval(() => report.look(), PAUSE_MS);
  report.pid.then(() => clearInterval(timer));
  let isOver = false;
  const over = () => {
    if (isOver) return;
    isOver = true;
    report.end();
    closeStatusFile(file, at);
  };
  child.once("exit", over);
  child.once("error", over);
  return report;
}
