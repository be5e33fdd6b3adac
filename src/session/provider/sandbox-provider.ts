/**
 * The port to whoever makes sandboxes that outlive a command.
 *
 * A provider knows nothing of threads, tools or recovery. Each operation either
 * happens in exactly the sandbox it was asked of, or throws a {@link SessionError};
 * nothing is resumed, replaced or repeated behind the caller's back.
 */
import type { SandboxIntent } from "../../exec/index.ts";
import type { PathUri } from "../../policy/index.ts";

export interface SandboxProvider {
  /** For people and receipts: `local`. */
  readonly name: string;
  /** Makes one. What it returns has a name and no more; nothing is prepared in it yet. */
  create(request: CreateRequest): Promise<ProvidedSandbox>;
  /** Finds one that was made before. Throws `missing` where there is none and never will be. */
  get(id: string, request: GetRequest): Promise<ProvidedSandbox>;
  /** All that it knows of, also those of other threads. */
  list(): Promise<readonly SandboxSummary[]>;
}

export interface CreateRequest {
  /** Whose it is; nobody else may have it. */
  readonly thread: string;
  /** What every command in it is held to at most. */
  readonly intent: SandboxIntent;
  readonly workspace: PathUri;
  readonly signal: AbortSignal;
}

export interface GetRequest {
  readonly thread: string;
  readonly signal: AbortSignal;
}

export interface SandboxSummary {
  readonly id: string;
  readonly thread: string;
  readonly status: "running" | "stopped";
  readonly createdAt: number;
}

/** One sandbox that lives, or did. */
export interface ProvidedSandbox {
  readonly id: string;
  /** Where relative paths start. */
  readonly cwd: PathUri;
  /** The policy it was made under, on the machine that enforces it. */
  readonly boundDigest: string;
  /** When it ends unless it is extended; null where it does not end by itself. */
  readonly expiresAt: number | null;
  /** Cheap. Settles where it lives; throws `stopped`, `missing` or `unavailable`. */
  probe(signal: AbortSignal): Promise<void>;
  /** The digest that an intent has on the machine of this sandbox. */
  digestOf(intent: SandboxIntent): Promise<string>;
  /** True where an intent allows nothing that `base` does not. */
  isWithin(intent: SandboxIntent, base: SandboxIntent): Promise<boolean>;
  /** Settles once the command runs. Throws `forbidden` where the policy refuses it, before anything ran. */
  runCommand(request: CommandRequest): Promise<ProvidedCommand>;
  /** One level; throws `exists` where something is there. */
  mkDir(path: string, under: FileRequest): Promise<void>;
  /** With the folders above. All of a call or nothing of a file: each is replaced as a whole. */
  writeFiles(files: readonly FileToWrite[], under: FileRequest): Promise<void>;
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
}

export interface FileToWrite {
  readonly path: string;
  readonly content: Uint8Array;
  /** Permission bits; those of a new file where it is left out. */
  readonly mode?: number;
}

export interface DirEntry {
  readonly name: string;
  readonly kind: "file" | "folder" | "link" | "other";
}

export interface CommandRequest {
  readonly argv: readonly [string, ...string[]];
  /** Relative to the sandbox's own, or absolute. */
  readonly cwd: string;
  /** Added to what the sandbox gives every command; through the API, never through a shell. */
  readonly env: Readonly<Record<string, string>>;
  /** The policy of this command, within that of the sandbox. */
  readonly intent: SandboxIntent;
  /** Names of the caller for the receipt. */
  readonly ids: Readonly<Record<string, string>>;
  readonly stdin: "none" | "pipe";
}

/** A command that was begun; it leads a group of its own. */
export interface ProvidedCommand {
  readonly id: string;
  /** To be read once, and read. Throws `interrupted` when its end will never be known. */
  readonly output: AsyncIterable<CommandOutput>;
  /** Settles with the exit status once all output was read; rejects with `interrupted`. */
  readonly ended: Promise<CommandEnd>;
  write(bytes: Uint8Array): Promise<boolean>;
  /** Ends it and all it started. */
  kill(): Promise<void>;
}

export interface CommandOutput {
  readonly stream: "stdout" | "stderr";
  readonly chunk: Uint8Array;
}

export interface CommandEnd {
  readonly exitCode: number;
  readonly sandboxDenied: boolean;
  /** Of the receipt that the executor kept; null where it keeps none. */
  readonly receiptId: string | null;
}
