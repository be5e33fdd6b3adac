import type { SandboxIntent } from "../../exec/index.ts";
import type { PathUri } from "../../policy/index.ts";
import type { CommandRequest, ProvidedCommand } from "./provided-command.ts";
import type { ProcessRequest, ProvidedProcess } from "./provided-process.ts";
import type { ProvidedShelf } from "./provided-shelf.ts";

/** One sandbox that lives, or did. */
export interface ProvidedSandbox {
  readonly id: string;
  /** Where relative paths start. */
  readonly cwd: PathUri;
  /** The policy it was made under, on the machine that enforces it. */
  readonly boundDigest: string;
  /** When it ends unless it is extended; null where it does not end by itself. */
  readonly expiresAt: number | null;
  /** What its owner puts into it and its commands only read; null where there is no such place. */
  readonly shelf: ProvidedShelf | null;
  /** Cheap. Settles where it lives; throws `stopped`, `missing` or `unavailable`. */
  probe(signal: AbortSignal): Promise<void>;
  /** The digest that an intent has on the machine of this sandbox. */
  digestOf(intent: SandboxIntent): Promise<string>;
  /** True where an intent allows nothing that `base` does not. */
  isWithin(intent: SandboxIntent, base: SandboxIntent): Promise<boolean>;
  /** Settles once the command runs. Throws `forbidden` where the policy refuses it, before anything ran. */
  runCommand(request: CommandRequest): Promise<ProvidedCommand>;
  /** The same for a process that goes on; it ends with the sandbox. */
  startProcess(request: ProcessRequest): Promise<ProvidedProcess>;
  /** A command of this process that runs, by its id. Throws `notFound` where none does. */
  getCommand(id: string): Promise<ProvidedCommand>;
  /** Where others reach a port of it. Throws `unsupported` where nobody does. */
  domain(port: number): Promise<string>;
  /** One level; throws `exists` where something is there. */
  mkDir(path: string, under: FileRequest): Promise<void>;
  /** With the folders above. All of a call or nothing of a file: each is replaced as a whole. */
  writeFiles(files: readonly FileToWrite[], under: FileRequest): Promise<FilesChanged>;
  /** Files and empty folders; throws `notFound` where one is missing, and then removes none. */
  remove(paths: readonly string[], under: FileRequest): Promise<FilesChanged>;
  /** Null where there is no such file, and only there. */
  readFileToBuffer(path: string, under: FileRequest): Promise<Buffer | null>;
  /** Names and kinds, sorted by name. Throws `notFound`. */
  listDir(path: string, under: FileRequest): Promise<readonly DirEntry[]>;
  /** Adds to when it ends. Throws `stopped`. */
  extendTimeout(ms: number): Promise<void>;
  /** Ends it and all that runs in it; settles when it is over, also when it was. */
  stop(): Promise<void>;
}

export interface FileRequest {
  readonly intent: SandboxIntent;
  readonly signal: AbortSignal;
  /** Names of the caller for receipts. */
  readonly ids?: Readonly<Record<string, string>>;
  /** Told which receipt was kept of a look, also of one that was refused. Without it none is kept. */
  readonly kept?: (receiptId: string) => void;
}

/** What is on record of a change. */
export interface FilesChanged {
  /** Of the last command that it took; null where the executor keeps none. */
  readonly receiptId: string | null;
}

export interface FileToWrite {
  readonly path: string;
  readonly content: Uint8Array;
  /** Permission bits; those of a new file where it is left out. */
  readonly mode?: number;
  /** A file whose permission bits it takes where nothing is there. */
  readonly modeOf?: string;
}

export interface DirEntry {
  readonly name: string;
  readonly kind: "file" | "folder" | "link" | "other";
}
