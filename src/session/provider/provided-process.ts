import type { InheritedVariables, RunningProcess, TerminalSize } from "../../exec/index.ts";
import type { CommandRequest } from "./provided-command.ts";

/** A process that is followed by its events, and typed into where it has a terminal. */
export interface ProcessRequest extends Omit<CommandRequest, "stdin"> {
  /** What it inherits of the executor before `env`; null for nothing. */
  readonly envPolicy: InheritedVariables | null;
  readonly terminal: TerminalSize | null;
}

/** One that was started. Its events throw `interrupted` when its end will never be known. */
export interface ProvidedProcess extends RunningProcess {
  /** Settles when it is over, whoever reads. Never rejects. */
  readonly ended: Promise<void>;
}
