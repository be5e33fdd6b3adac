import type { CommandResult, SandboxTools } from "../session/index.ts";
import type { AskedPolicy } from "./read-policy.ts";

export interface CommandOptions {
  /** Relative to the workspace; the workspace itself when absent. */
  readonly cwd?: string;
  /** Added to the fixed variables, and to the few of this process that programs need to start. */
  readonly env?: Readonly<Record<string, string>>;
  /** Five minutes when absent. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** The sandbox of one thread. It is built by the first command or tool that needs it. */
export interface Sandbox {
  /** Runs a command. One that fails, hangs or is denied something is a result; one that did not run is an error. */
  run(argv: readonly [string, ...string[]], options?: CommandOptions): Promise<CommandResult>;
  /** What a model may be given: bash, readFile, writeFile, editFile, grep, listDir, attachFile. */
  readonly tools: SandboxTools;
  /**
   * From now on commands and tools are held to `policy`; what was asked for before and still waits, to both.
   * One that allows more than the sandbox was made under has the next call make another: the home of commands
   * is empty, what runs ends, and what was written apart is gone.
   */
  usePolicy(policy: AskedPolicy): void;
  /** Ends what still runs. */
  close(): Promise<void>;
  /** The same, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}
