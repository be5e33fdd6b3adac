import fs from "node:fs";
import path from "node:path";
import { ConfigError } from "./config-error.ts";

/** A configuration file takes kilobytes; more is a mistake or an attack. */
const MAX_BYTES = 1024 * 1024;

/**
 * The text of a file that may come from anybody, or nothing when there is no such file.
 *
 * Opened without waiting and looked at before it is read: a pipe, a device or a
 * huge file in the place of a configuration must not hang whoever reads it.
 */
export function readBoundedFile(file: string): string | undefined {
  const fd = openOrMissing(file);
  if (fd === undefined) return undefined;
  try {
    const { size } = regularFile(fd, file);
    if (size > MAX_BYTES) throw unreadable(file, `it is larger than ${MAX_BYTES} bytes`);
    // One byte more than there was: a file that grew meanwhile must not be taken for a whole one.
    const bytes = Buffer.allocUnsafe(size + 1);
    const length = fs.readSync(fd, bytes);
    if (length > size) throw unreadable(file, "it grew while it was read");
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, length));
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause;
    throw unreadable(file, cause instanceof Error ? cause.message : String(cause), { cause });
  } finally {
    fs.closeSync(fd);
  }
}

function regularFile(fd: number, file: string): fs.Stats {
  const found = fs.fstatSync(fd);
  if (found.isFile()) return found;
  throw unreadable(file, "it is not a regular file");
}

function openOrMissing(file: string): number | undefined {
  refuseNoPath(file);
  try {
    return fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    if (code === "ENOENT") return refuseLink(file);
    if (code === "ENOTDIR") return undefined;
    throw unreadable(file, cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** Half a character would be read as another one, and name another file. */
function refuseNoPath(file: string): void {
  if (!file.includes("\0") && file.isWellFormed()) return;
  const what = "it holds bytes no path has, expected one without NUL and half characters";
  throw new ConfigError("unreadable", `Cannot read ${JSON.stringify(file)}: ${what}`);
}

function refuseLink(file: string): undefined {
  const link = linkToNothing(file);
  if (link === undefined) return;
  throw unreadable(file, `the link "${link}" leads nowhere, expected a file, or no link`);
}

/**
 * The link because of which a file is missing, if there is one: whoever put it there meant a file, which may be
 * on a disk that is not mounted.
 */
export function linkToNothing(file: string): string | undefined {
  const found = fs.lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined) return file === "/" ? undefined : linkToNothing(path.dirname(file));
  const leads = !found.isSymbolicLink() || fs.statSync(file, { throwIfNoEntry: false });
  return leads ? undefined : file;
}

function unreadable(file: string, what: string, options?: ErrorOptions): ConfigError {
  return new ConfigError("unreadable", `Cannot read "${file}": ${what}`, options);
}
