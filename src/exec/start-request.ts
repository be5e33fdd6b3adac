import type { PathUri } from "../policy/index.ts";
import type { TerminalSize } from "../sandbox/index.ts";
import type { SandboxIntent } from "./intent/sandbox-intent.ts";

/** Which variables of the executor a command gets, before its own. */
export interface InheritedVariables {
  readonly inherit: "all" | "core" | "none";
  readonly ignoreDefaultExcludes: boolean;
  readonly exclude: readonly string[];
  readonly set: Readonly<Record<string, string>>;
  readonly includeOnly: readonly string[];
}

export interface StartRequest {
  /**
   * Chosen by the caller; not a number of the operating system. An executor is used by callers that do not know
   * each other, so two of them may choose the same; on a wire it is taken once a session.
   */
  readonly processId: string;
  readonly argv: readonly string[];
  /** The name the program is told, where it is not that of its file. */
  readonly arg0: string | null;
  readonly cwd: PathUri;
  /** Null: the command gets exactly `env`. */
  readonly envPolicy: InheritedVariables | null;
  readonly env: Readonly<Record<string, string>>;
  readonly terminal: TerminalSize | null;
  readonly pipeStdin: boolean;
  readonly sandbox: SandboxIntent;
  /** Where it runs: in a place that outlives it, or, with null, in none. */
  readonly anchor: string | null;
  /** Names of the caller for the receipt: thread, tool call. */
  readonly ids: Readonly<Record<string, string>>;
}
