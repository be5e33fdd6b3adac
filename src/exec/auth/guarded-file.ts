/**
 * Reading files that decide who is trusted.
 *
 * A secret that others can read is none, and a key that others can replace is
 * theirs. What is checked is the opened file, so nothing can be swapped in between.
 */
import fs from "node:fs";
import { unusableFile } from "./startup-error.ts";

/** `secret`: nobody else may read it. `trusted`: nobody else may write it. */
export type Guard = "secret" | "trusted";

/** What the system says about an opened file. */
export interface GuardedFacts {
  readonly isFile: boolean;
  readonly mode: number;
  readonly uid: number;
  readonly size: number;
}

const MAX_BYTES = 64 * 1024;
const FORBIDDEN: Readonly<Record<Guard, number>> = { secret: 0o077, trusted: 0o022 };
const REMEDY: Readonly<Record<Guard, string>> = { secret: "chmod 600", trusted: "chmod go-w" };

/** Reads the text of a guarded file without the white space around it; throws `StartupError`. */
export function readGuardedFile(file: string, guard: Guard): string {
  const bytes = readBytes(file, guard);
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes).trim();
    if (text !== "") return text;
  } catch (cause) {
    throw unusableFile(file, "it is not UTF-8, expected text", { cause });
  }
  throw unusableFile(file, "it is empty, expected some text");
}

/** Says what is wrong with an opened file, or nothing; `uid` is who reads it. */
export function guardProblem(
  { isFile, mode, uid: owner, size }: GuardedFacts,
  guard: Guard,
  uid: number | undefined,
): string | undefined {
  if (!isFile) return "it is not a regular file, expected one";
  if (uid !== undefined && owner !== uid && owner !== 0) {
    return `it belongs to user ${owner}, expected user ${uid} or root`;
  }
  if ((mode & FORBIDDEN[guard]) !== 0) {
    const verb = guard === "secret" ? "read or change" : "change";
    const bits = (mode & 0o777).toString(8).padStart(4, "0");
    return `others may ${verb} it (mode ${bits}), expected it closed to them (run: ${REMEDY[guard]})`;
  }
  if (size > MAX_BYTES) return `it has ${size} bytes, expected at most ${MAX_BYTES}`;
  return undefined;
}

function readBytes(file: string, guard: Guard): Buffer {
  const opened = open(file);
  try {
    const stats = fs.fstatSync(opened);
    const facts = { isFile: stats.isFile(), mode: stats.mode, uid: stats.uid, size: stats.size };
    const problem = guardProblem(facts, guard, process.getuid?.());
    if (problem !== undefined) throw unusableFile(file, problem);
    return fs.readFileSync(opened);
  } finally {
    fs.closeSync(opened);
  }
}

/** Without blocking: a FIFO would wait for a writer. */
function open(file: string): number {
  try {
    return fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  } catch (cause) {
    const { code = "it cannot be opened" } = cause as NodeJS.ErrnoException;
    const what = WORDS[code] ?? code;
    throw unusableFile(file, `${what}, expected a file that can be read`, { cause });
  }
}

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  ENOTDIR: "a file is in its way",
  EACCES: "this user may not read it",
};
