/**
 * A file of a folder on the host, and never one of another folder.
 *
 * The path is opened first and asked after: where the opened file really lies is
 * the kernel's word, so a link on the way that appears meanwhile leads to a
 * refusal and not to its target.
 */
import fs from "node:fs";
import path from "node:path";

export interface ConfinedFile {
  /** Real and absolute. */
  readonly folder: string;
  /** From the folder, without `.` and `..`. */
  readonly path: string;
  readonly mostBytes: number;
}

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;

/** The bytes of a plain file; null where there is none. Throws a sentence on anything else. */
export function readConfined({ folder, path: name, mostBytes }: ConfinedFile): Buffer | null {
  if (name.split("/").some((one) => one === "" || one === "." || one === "..")) {
    throw refusal(name, "it leads elsewhere by its words, expected a path inside");
  }
  const place = path.join(folder, name);
  const fd = openOrAbsent(place, name);
  if (fd === undefined) return null;
  try {
    const found = fs.fstatSync(fd);
    if (!isAt(fd, place)) throw refusal(name, "it leads elsewhere, expected a file of its folder");
    if (!found.isFile()) throw refusal(name, "it is no plain file, expected one");
    if (found.size > mostBytes) {
      throw refusal(name, `it has ${found.size} bytes, expected at most ${mostBytes}`);
    }
    return readAll(fd, found.size, name);
  } finally {
    fs.closeSync(fd);
  }
}

/** One byte more than there was: a file that grew meanwhile must not be taken for a whole one. */
function readAll(fd: number, size: number, name: string): Buffer {
  const bytes = Buffer.allocUnsafe(size + 1);
  let length = 0;
  for (;;) {
    const read = fs.readSync(fd, bytes, length, bytes.length - length, null);
    length += read;
    if (length > size) throw refusal(name, "it grew while it was read, expected it to stay");
    if (read === 0) return bytes.subarray(0, length);
  }
}

function openOrAbsent(place: string, name: string): number | undefined {
  try {
    return fs.openSync(place, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    if (code === "ELOOP") throw refusal(name, "it is a link, expected a file of its folder");
    throw refusal(name, `it cannot be opened (${code}), expected a file`, cause);
  }
}

/** Where the kernel does not say it, the file is the one that lies there now, at the end of no link. */
function isAt(fd: number, place: string): boolean {
  if (process.platform === "linux") return fs.readlinkSync(`/proc/self/fd/${fd}`) === place;
  const [opened, now] = [fs.fstatSync(fd), fs.lstatSync(place)];
  const isSame = opened.dev === now.dev && opened.ino === now.ino;
  return isSame && fs.realpathSync.native(place) === place;
}

function refusal(name: string, what: string, cause?: unknown): Error {
  return new Error(`Cannot read ${JSON.stringify(name)}: ${what}`, { cause });
}
