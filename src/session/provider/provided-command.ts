/** A command in a sandbox of a provider, from what is asked for to its end. */
import type { SandboxIntent } from "../../exec/index.ts";

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
  /** Of the receipt that is on record since it began; null where the executor keeps none, or tells of it only at the end. */
  readonly receiptId: string | null;
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
