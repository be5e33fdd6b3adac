/** What every command is made of, and what it sees of the world. */
import type { ParseArgsOptionsConfig } from "node:util";
import type { Taken } from "./completion/taken.ts";

/** The edges a command may touch; tests hand in their own. */
export interface CliWorld {
  out(text: string): void;
  err(text: string): void;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home: string;
  readonly hostname: string;
  readonly platform: string;
  /** Whether a person reads what `err` prints while it is printed. */
  readonly isWatched?: boolean | undefined;
}

export type FlagValues = Readonly<
  Record<string, string | boolean | readonly (string | boolean)[] | undefined>
>;

export interface CommandInput {
  readonly flags: FlagValues;
  readonly positionals: readonly string[];
  /** Every option that has a value, in the order in which they were given. */
  readonly order: readonly { readonly name: string; readonly value: string }[];
}

export interface Command {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** The whole help text below the usage line. */
  readonly help: string;
  readonly usage: string;
  readonly options: ParseArgsOptionsConfig;
  /** Options whose value is the next word as it is, also where it begins with a dash. */
  readonly verbatim?: readonly string[];
  /** What options take, by name, for completion; one that is not here takes anything. */
  readonly takes?: Readonly<Record<string, Taken>>;
  /** What may stand first: the verbs of a command that has some. */
  readonly verbs?: readonly string[];
  /** What stands on the line besides: paths, or behind `--` a command of somebody else. */
  readonly rest?: "file" | "folder" | "command";
  /** Returns the exit status. */
  run(input: CommandInput, world: CliWorld): Promise<number>;
}

/** The caller's mistake: printed as one sentence, exit 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
