/**
 * Files of the machine that runs commands, under the same intent as a command.
 *
 * What a command could not read or write, these cannot either; in an anchor, a
 * command of that anchor.
 */
import type { PathUri } from "../../policy/index.ts";
import type { SandboxIntent } from "../intent/sandbox-intent.ts";
import type { LookRecord } from "../receipts/look-record.ts";
import type { ReadBound } from "./read-bound.ts";
import type { Walked, WalkOptions } from "./walked.ts";

/** Every operation says under which intent it runs, and where. */
export interface AtPath {
  readonly sandbox: SandboxIntent;
  /** The anchor whose home and tmp it sees as the commands there do; null for none. */
  readonly anchor: string | null;
  readonly path: PathUri;
  /** `refuse` takes no link in any part of the path. */
  readonly links: "follow" | "refuse";
}

export interface FileMetadata {
  readonly isDirectory: boolean;
  readonly isFile: boolean;
  /** The path itself is a link; the other members tell of what it leads to. */
  readonly isSymlink: boolean;
  readonly size: number;
  /** Milliseconds; 0 where it is not known. */
  readonly createdAtMs: number;
  readonly modifiedAtMs: number;
}

export interface FolderEntry {
  readonly fileName: string;
  readonly isDirectory: boolean;
  readonly isFile: boolean;
}

/** An open file, which stays the one that was opened whatever happens to its path. */
export interface OpenFile {
  read(
    offset: number,
    length: number,
  ): Promise<{ readonly chunk: Uint8Array; readonly eof: boolean }>;
  write(offset: number, chunk: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

interface Recordable {
  readonly record?: LookRecord;
}

/** For work on many entries. What is done when it is told to stop stays done. */
interface Stoppable {
  /**
   * Stops it between two entries, and what it throws is the reason. Another machine does to the end what it
   * was asked for: no wire has a word for that.
   */
  readonly signal?: AbortSignal;
}

/** Throws `FileError`; `ExecError` where nothing was tried, `unknownAnchor` among them. */
export interface FileOperations {
  /** More than `most` may be refused before it is read. */
  readFile(at: AtPath, options?: { readonly most?: ReadBound } & Recordable): Promise<Uint8Array>;
  writeFile(at: AtPath, bytes: Uint8Array): Promise<void>;
  createDirectory(at: AtPath, options: { readonly recursive: boolean }): Promise<void>;
  getMetadata(at: AtPath): Promise<FileMetadata>;
  canonicalize(at: AtPath): Promise<PathUri>;
  readDirectory(at: AtPath, options?: Recordable): Promise<readonly FolderEntry[]>;
  walk(at: AtPath, options: WalkOptions): Promise<Walked>;
  remove(
    at: AtPath,
    options: { readonly recursive: boolean; readonly force: boolean } & Stoppable,
  ): Promise<void>;
  copy(
    from: AtPath,
    to: AtPath,
    options: { readonly recursive: boolean } & Stoppable,
  ): Promise<void>;
  open(at: AtPath, mode: "read" | "replace", options?: Recordable): Promise<OpenFile>;
}
