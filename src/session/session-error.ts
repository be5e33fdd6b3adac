/** What went wrong with a session, in words that programs may branch on. */
export type SessionErrorCode =
  /** It is over: nothing can be done in it any more. */
  | "stopped"
  /** It is being ended or saved; later it will be over. */
  | "stopping"
  | "snapshotting"
  /** There is none of that name, and there will not be. */
  | "missing"
  | "snapshotMissing"
  /** What a sandbox starts from could not be built. */
  | "snapshotFailed"
  /** The provider could not say; whether the sandbox lives is not known. */
  | "unavailable"
  | "exists"
  | "notFound"
  /** The policy does not allow it, or the provider's own rules. */
  | "forbidden"
  /** A command was begun and nobody knows how it went. It is never run again by itself. */
  | "interrupted"
  | "timeout"
  | "aborted"
  | "invalidInput"
  /** The provider has no way to do it. */
  | "unsupported";

export interface SessionErrorOptions {
  readonly cause?: unknown;
  /** Of a command that was run for it and did not do it. */
  readonly receiptId?: string | null;
}

/** Every error that leaves the session layer. Its message is for a model or a person; it holds nothing of the provider's. */
export class SessionError extends Error {
  override readonly name = "SessionError";
  readonly code: SessionErrorCode;
  readonly receiptId: string | null;

  constructor(code: SessionErrorCode, message: string, options: SessionErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.receiptId = options.receiptId ?? null;
  }
}
