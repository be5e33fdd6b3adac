import type { Readable, Writable } from "node:stream";

/** Our end of what a child was given, where there is one. */
export type ChildStream = Readable | Writable | null | undefined;

/** A process that was started here: what the rest needs of Node's `ChildProcess`, whoever started it. */
export interface Child {
  /** Nothing where it could not be started; `error` says why. */
  readonly pid?: number | undefined;
  readonly exitCode: number | null;
  readonly signalCode: NodeJS.Signals | null;
  readonly stdio: readonly ChildStream[];
  /** False when it is over. */
  kill(signal?: NodeJS.Signals | number): boolean;
  ref(): void;
  unref(): void;
  once(event: "exit", told: (code: number | null, signal: NodeJS.Signals | null) => void): this;
  once(event: "error", told: (error: NodeJS.ErrnoException) => void): this;
}
