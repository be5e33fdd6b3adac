/**
 * The output of one request on disk: a transcript, the pictures, an index of both.
 *
 * Files are made when there is something for them. Writing is synchronous, so
 * that output waits for the disk in the worker's pipe and not in memory. What
 * cannot be written is left out and said to be; it never fails a call.
 */
import { closeSync, fstatSync, ftruncateSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { BundleView } from "../output/compact-reply.ts";
import type { ImageItem, OutputItem } from "../output/output-item.ts";
import { StderrMarks } from "../output/stderr-marks.ts";
import { BundleLog } from "./bundle-log.ts";
import type { BundleQuota } from "./bundle-quota.ts";

/** Writes all of `bytes` at the end of an open file, or throws. */
export type WriteBytes = (fd: number, bytes: Uint8Array) => void;

const FLUSH_CHARS = 1 << 16;
const ENCODER = new TextEncoder();
/** What a file takes of a disk beside what is in it. */
const FILE_BYTES = 4096;
const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
const EXTENSIONS: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
  "image/svg+xml": "svg",
};

export class Bundle {
  readonly #folder: string;
  readonly #quota: BundleQuota;
  readonly #write: WriteBytes;
  readonly #marks = new StderrMarks();
  readonly #log = new BundleLog();
  readonly #files = new Map<string, number>();
  /** By the number of the picture: its number here, and how many states there were. */
  readonly #plots = new Map<number, { number: string; states: number }>();
  /** Where text becomes bytes: a new buffer for each write would cost more than the write. */
  readonly #scratch = Buffer.allocUnsafe(3 * FLUSH_CHARS);
  #waiting: string[] = [];
  #waitingChars = 0;
  #textBytes = 0;
  #hasLog = false;
  #isCut = false;

  /** `folder` exists, is empty and belongs to this bundle alone. */
  constructor(folder: string, quota: BundleQuota, write: WriteBytes = writeFileSync) {
    this.#folder = folder;
    this.#quota = quota;
    this.#write = write;
  }

  append(item: OutputItem): void {
    if (this.#isCut) return;
    if (item.kind === "text") this.#text(item.stream, item.text);
    else if (item.kind === "echo") this.#text("stdout", item.text);
    else if (item.kind === "image") this.#image(item);
    else if (item.kind === "notice") {
      this.#flushText();
      this.#log.notice(item.text);
    }
  }

  /** Where everything appended so far can be read; `undefined` if nothing could be written. */
  view(): BundleView | undefined {
    this.#flushText();
    this.#flushLog();
    const hasText = this.#textBytes > 0;
    const hasImages = this.#plots.size > 0;
    if (!hasText && !hasImages) return undefined;
    return {
      transcript: hasText ? this.#path("transcript.txt") : undefined,
      events: this.#hasLog ? this.#path("events.log") : undefined,
      images: hasImages ? this.#path("images") : undefined,
      isCut: this.#isCut,
    };
  }

  /** Nothing is appended any more. */
  close(): void {
    this.view();
    this.#isCut = true;
    for (const fd of this.#files.values()) closeSync(fd);
    this.#files.clear();
  }

  #text(stream: "stdout" | "stderr", text: string): void {
    if (text === "") return;
    this.#waiting.push(this.#marks.markBefore(stream, text), text);
    this.#waitingChars += text.length;
    if (this.#waitingChars >= FLUSH_CHARS) this.#flushText();
  }

  #flushText(): void {
    const text = this.#waiting.join("");
    this.#waiting = [];
    this.#waitingChars = 0;
    for (let at = 0; at < text.length && !this.#isCut; ) {
      const { read, written } = ENCODER.encodeInto(text.slice(at), this.#scratch);
      this.#writeText(text.slice(at, at + read), this.#scratch.subarray(0, written));
      at += read;
    }
  }

  /** Writes `text`, which is `bytes`, as far as it may and can. */
  #writeText(text: string, bytes: Buffer): void {
    const granted = this.#quota.take(bytes.length);
    const written = this.#appendText(bytes.subarray(0, wholeCharacters(bytes, granted)));
    this.#quota.giveBack(granted - written);
    this.#textBytes += written;
    this.#isCut = written < bytes.length;
    this.#log.text(this.#isCut ? bytes.toString("utf8", 0, written) : text, written);
  }

  /** Adds to the transcript; gives how many of the bytes are in it. */
  #appendText(bytes: Buffer): number {
    try {
      this.#write(this.#open("transcript.txt"), bytes);
      return bytes.length;
    } catch {
      return this.#keepArrived(bytes);
    }
  }

  /** Of a write that failed on its way, keeps the characters that arrived. */
  #keepArrived(bytes: Buffer): number {
    const fd = this.#files.get("transcript.txt");
    if (fd === undefined) return 0;
    try {
      const kept = wholeCharacters(bytes, fstatSync(fd).size - this.#textBytes);
      ftruncateSync(fd, this.#textBytes + kept);
      return kept;
    } catch {
      return 0;
    }
  }

  #image({ plot, mimeType, data }: ImageItem): void {
    this.#flushText();
    this.#marks.interrupt();
    // Each picture is there twice: as it is, and in its history.
    const bytes = 2 * (data.length + FILE_BYTES);
    const granted = this.#quota.take(bytes);
    if (granted < bytes) {
      this.#quota.giveBack(granted);
      this.#isCut = true;
      return;
    }
    this.#tryWriting(bytes, () => this.#writeImage(plot, EXTENSIONS[mimeType] ?? "bin", data));
  }

  #writeImage(plot: number, extension: string, data: Uint8Array): void {
    const known = this.#plots.get(plot);
    const number = known?.number ?? counted(this.#plots.size + 1);
    const states = (known?.states ?? 0) + 1;
    const history = `images/history/${number}`;
    const file = `${history}/${counted(states)}.${extension}`;
    mkdirSync(this.#path(history), { recursive: true, mode: PRIVATE_FOLDER });
    this.#writeWhole(file, "wx", data);
    this.#writeWhole(`images/${number}.${extension}`, "w", data);
    this.#plots.set(plot, { number, states });
    this.#log.image(file);
  }

  #writeWhole(file: string, flags: "w" | "wx", data: Uint8Array): void {
    const fd = openSync(this.#path(file), flags, PRIVATE_FILE);
    try {
      this.#write(fd, data);
    } finally {
      closeSync(fd);
    }
  }

  /** An index is of use only where text and pictures mix, or something is missing. */
  #flushLog(): void {
    const isMixed = this.#textBytes > 0 && this.#plots.size > 0;
    if (!isMixed && !this.#isCut && !this.#hasLog) return;
    this.#tryWriting(0, () => {
      this.#write(this.#open("events.log"), Buffer.from(this.#log.takeRows()));
      this.#hasLog = true;
    });
  }

  #tryWriting(bytes: number, write: () => void): void {
    try {
      write();
    } catch {
      this.#quota.giveBack(bytes);
      this.#isCut = true;
    }
  }

  #open(file: string): number {
    const open = this.#files.get(file) ?? openSync(this.#path(file), "wx", PRIVATE_FILE);
    this.#files.set(file, open);
    return open;
  }

  #path(file: string): string {
    return path.join(this.#folder, file);
  }
}

function counted(number: number): string {
  return String(number).padStart(3, "0");
}

/** The longest beginning of at most `limit` bytes that ends with a character. */
function wholeCharacters(bytes: Buffer, limit: number): number {
  if (limit >= bytes.length) return bytes.length;
  let end = limit;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return end;
}
