/** Reads and writes the bytes of open files, all of them, without holding up anything else. */
import fs from "node:fs";
import { promisify } from "node:util";
import { answersAtOnce } from "./answers-at-once.ts";
import { FileError, fileErrorOf } from "./file-error.ts";
import type { OpenFile } from "./file-operations.ts";
import type { Pause } from "./pause.ts";
import type { ReadBound } from "./read-bound.ts";

const read = promisify(fs.read);
const write = promisify(fs.write);

/** The largest file that is read in one piece. */
const MAX_FILE = 536_870_912;
const IN_ONE_PIECE: ReadBound = {
  bytes: MAX_FILE,
  refusal: `file is too large to read: limit is ${MAX_FILE} bytes`,
};
const CHUNK = 1 << 20;

/** More than this is left to a thread, whatever it lies on. */
const QUICK = 64 * 1024;

/** Everything in a file. It may grow meanwhile, but not beyond what is read in one piece. */
export async function readFileBytes(fd: number, most = IN_ONE_PIECE): Promise<Buffer> {
  const stats = fs.fstatSync(fd);
  for (const bound of [IN_ONE_PIECE, most]) {
    if (stats.size > bound.bytes) throw new FileError("invalid", bound.refusal);
  }
  return readQuickly(fd, stats) ?? readWhole(fd, stats, most);
}

/** All of a small file, where that is had at once; nothing where it has changed meanwhile. */
function readQuickly(fd: number, stats: fs.Stats): Buffer | undefined {
  const { size } = stats;
  if (size >= QUICK || !answersAtOnce(fd, stats)) return undefined;
  const bytes = Buffer.allocUnsafe(size + 1);
  try {
    const read = fs.readSync(fd, bytes, 0, size + 1, 0);
    return read === size ? bytes.subarray(0, size) : undefined;
  } catch (cause) {
    throw fileErrorOf(cause);
  }
}

async function readWhole(fd: number, { size }: fs.Stats, most: ReadBound): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  // One more than is expected, so that the end is seen at once. Settings of the kernel have no size, and
  // what is left of one after the first read is nothing.
  for (let want = Math.max(size + 1, QUICK); ; want = CHUNK) {
    const part = await readAt(fd, length, want);
    parts.push(part);
    length += part.length;
    if (length > most.bytes) throw new FileError("invalid", most.refusal);
    if (part.length < want) return parts.length === 1 ? part : Buffer.concat(parts, length);
  }
}

/** As many bytes as there are from `offset` on, at most `length`. */
async function readAt(fd: number, offset: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  let done = 0;
  try {
    while (done < length) {
      const { bytesRead } = await read(fd, bytes, done, length - done, offset + done);
      if (bytesRead === 0) break;
      done += bytesRead;
    }
  } catch (cause) {
    throw fileErrorOf(cause);
  }
  return bytes.subarray(0, done);
}

/** Writes all of it. */
async function writeAt(fd: number, offset: number, bytes: Uint8Array): Promise<void> {
  let done = 0;
  try {
    while (done < bytes.length) {
      const { bytesWritten } = await write(fd, bytes, done, bytes.length - done, offset + done);
      done += bytesWritten;
    }
  } catch (cause) {
    throw fileErrorOf(cause);
  }
}

/** Makes these bytes all that a file holds. */
export async function writeFileBytes(fd: number, bytes: Uint8Array): Promise<void> {
  try {
    const begun = writeQuickly(fd, bytes);
    if (begun < bytes.length) await writeAt(fd, begun, bytes.subarray(begun));
    if (fs.fstatSync(fd).size > bytes.length) fs.ftruncateSync(fd, bytes.length);
  } catch (cause) {
    throw fileErrorOf(cause);
  }
}

/** Writes what can be written at once, and says how much that was. */
function writeQuickly(fd: number, bytes: Uint8Array): number {
  const isQuick = bytes.length <= QUICK && answersAtOnce(fd, fs.fstatSync(fd));
  return isQuick ? fs.writeSync(fd, bytes, 0, bytes.length, 0) : 0;
}

export interface CopyBytes {
  readonly from: number;
  readonly to: number;
  readonly pause: Pause;
}

/** Everything in one file becomes everything in another. */
export async function copyFileBytes({ from, to, pause }: CopyBytes): Promise<void> {
  for (let offset = 0; ; offset += CHUNK) {
    await pause();
    const part = await readAt(from, offset, CHUNK);
    await writeAt(to, offset, part);
    if (part.length < CHUNK) return;
  }
}

/**
 * A file that stays open until it is closed, and until nothing uses its descriptor any more. It is
 * closed, too, when `over` aborts, and whoever uses it then is told why.
 */
export function openFileOf(fd: number, over?: AbortSignal): OpenFile {
  const pending = new Set<Promise<unknown>>();
  let open = true;
  const close = async () => {
    if (!open) return;
    open = false;
    over?.removeEventListener("abort", close);
    await Promise.allSettled(pending);
    fs.closeSync(fd);
  };
  over?.addEventListener("abort", close);
  const use = async <T>(work: () => Promise<T>): Promise<T> => {
    over?.throwIfAborted();
    if (!open) throw new FileError("io", "Bad file descriptor (os error 9)");
    const working = work();
    pending.add(working);
    try {
      return await working;
    } finally {
      pending.delete(working);
    }
  };
  return {
    async read(offset, length) {
      const chunk = await use(() => readAt(fd, offset, length));
      return { chunk, eof: chunk.length < length };
    },
    write: (offset, chunk) => use(() => writeAt(fd, offset, chunk)),
    close,
  };
}
