/** What became of a command, as a value. A command that fails, hangs or is cancelled is a result. */
export interface CommandResult {
  /** 124 after a time-out, 130 after a cancellation. */
  readonly exitCode: number;
  /** Its first 10,000 and its last 20,000 bytes, with a line between them that says what is missing. */
  readonly stdout: string;
  /** Likewise. */
  readonly stderr: string;
  readonly isStdoutCut: boolean;
  readonly isStderrCut: boolean;
  /** The file in the workspace with all it printed, where something was cut and could be kept. */
  readonly log: string | null;
  readonly timedOut: boolean;
  readonly aborted: boolean;
  /** Whether it may have done more, or less, than this says. */
  readonly outcomeUnknown: boolean;
  /** Whether the sandbox probably made it fail. */
  readonly sandboxDenied: boolean;
  readonly receiptId: string | null;
}

export const EXIT_TIMED_OUT = 124;
export const EXIT_ABORTED = 130;
