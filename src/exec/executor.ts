/**
 * The port: how everything above runs commands, on this machine or on another.
 *
 * A caller cannot tell a local executor from a remote one. `StartRequest` is
 * what `process/start` carries once its edge is read: an intent is always there.
 */
import type { Receipt, SignalReach, TerminalSize } from "../sandbox/index.ts";
import type { AnchorOperations } from "./anchor-operations.ts";
import type { FileOperations } from "./files/file-operations.ts";
import type { ProcessEvent, SandboxType } from "./process-event.ts";
import type { StartRequest } from "./start-request.ts";

export interface RunningProcess {
  readonly processId: string;
  readonly sandboxType: SandboxType;
  /** To be read once, and read: what is not taken holds the process up. Throws `ExecError` when something was lost. */
  readonly events: AsyncIterable<ProcessEvent>;
  /** False where the process has no input, or had. */
  write(bytes: Uint8Array): Promise<boolean>;
  /** Says that no more input follows. Throws {@link ExecError} where the executor has no word for it. */
  closeInput(): Promise<void>;
  resize(size: TerminalSize): Promise<void>;
  /**
   * Asks the command to stop: with its group, as ^C does, or alone, where it tells the others itself. Throws
   * {@link ExecError} where the executor has no word for that.
   */
  interrupt(reach: SignalReach): Promise<void>;
  /** Ends it and all it started; false when it was over. */
  terminate(): Promise<boolean>;
  /** Of the receipt that is on record since it began; null where the executor keeps none, or tells of it only at the end. */
  readonly receiptId: string | null;
  /** What was enforced; nothing where the executor keeps none. Settles after the last event. */
  readonly receipt: Promise<Receipt | undefined>;
}

export interface Executor {
  /**
   * Settles once the command runs under what was asked for. Throws {@link ExecError} when it does not. Where
   * `givenUp` is aborted in time it is not let run; what runs all the same is for the caller to end.
   */
  start(request: StartRequest, givenUp?: AbortSignal): Promise<RunningProcess>;
  /** File operations, each under the intent it comes with. */
  readonly files: FileOperations;
  /** Places that outlive a command; nothing where this executor has none. */
  readonly anchors: AnchorOperations | undefined;
  /** Ends what still runs. */
  close(): Promise<void>;
}
