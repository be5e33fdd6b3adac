export type StartupErrorCode =
  /** Flags that are incomplete, contradict each other, or cannot be read. */
  | "invalidFlags"
  /** A file of secrets or keys that is missing, too open, or does not hold what it should. */
  | "unusableFile"
  /** Anybody who reaches the address could run commands. */
  | "openListener";

/** An exec-server was asked for in a way in which it does not start. */
export class StartupError extends Error {
  override readonly name = "StartupError";
  readonly code: StartupErrorCode;

  constructor(code: StartupErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The refusal of a file that was named. */
export function unusableFile(file: string, why: string, options?: ErrorOptions): StartupError {
  return new StartupError("unusableFile", `Cannot use ${JSON.stringify(file)}: ${why}`, options);
}

/** The refusal of a flag, by itself or with its value. */
export function misusedFlag(flag: string, why: string): StartupError {
  return new StartupError("invalidFlags", `Cannot use "${flag}": ${why}`);
}
