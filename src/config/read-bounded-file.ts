import fs from "node:fs";
import { ConfigError } from "./config-error.ts";

/** A configuration file takes kilobytes; more is a mistake or an attack. */
const MAX_BYTES = 1024 * 1024;

/**
 * The text of a file that may come from anybody, or nothing when there is no such file.
 *
 * Opened without waiting and looked at before it is read: a pipe, a device or a
 * huge file in the place of a configuration must not hang whoever reads it.
 */
export function readBoundedFile(path: string): string | undefined {
  const fd = openOrMissing(path);
  if (fd === undefined) return undefined;
  try {
    const { size } = regularFile(fd, path);
    if (size > MAX_BYTES) throw unreadable(path, `it is larger than ${MAX_BYTES} bytes`);
    // One byte more than there was: a file that grew meanwhile must not be taken for a whole one.
    const bytes = Buffer.allocUnsafe(size + 1);
    const length = fs.readSync(fd, bytes);
    if (length > size) throw unreadable(path, "it grew while it was read");
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, length));
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause;
    throw unreadable(path, cause instanceof Error ? cause.message : String(cause), { cause });
  } finally {
    fs.closeSync(fd);
  }
}

function regularFile(fd: number, path: string): fs.Stats {
  const found = fs.fstatSync(fd);
  if (found.isFile()) return found;
  throw unreadable(path, "it is not a regular file");
}

function openOrMissing(path: string): number | undefined {
  try {
    return fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw unreadable(path, cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

function unreadable(path: string, what: string, options?: ErrorOptions): ConfigError {
  return new ConfigError("unreadable", `Cannot read "${path}": ${what}`, options);
}
