export type ExecErrorCode =
  /** A member of the request that cannot be meant, or that this executor cannot keep. */
  | "invalidRequest"
  /** The operator of this executor does not allow it. */
  | "notAllowed"
  /** The policy holds, but nothing here can enforce it. */
  | "unenforceable"
  /** The sandbox stands; the process could not be started in it. */
  | "spawnFailed"
  /** There is no anchor of that name, or none any more; nothing ran in it. */
  | "unknownAnchor"
  /** The other side of a connection is not what it has to be. */
  | "untrustedServer"
  /** The connection is over and was not resumed in time. */
  | "disconnected"
  /** Something of the process was lost on the way; what is left cannot be told from all of it. */
  | "lostOutput"
  /** It ran, and its receipt could not be kept. */
  | "unkept";

export interface ExecErrorOptions extends ErrorOptions {
  /** The member of the request that is at fault. */
  readonly field?: string;
  /** The receipt that was kept of the refusal. */
  readonly receiptId?: string;
}

/**
 * A request to run something was not carried out.
 *
 * Callers branch on `code`; people read `message`. A command that ran and failed is a result.
 */
export class ExecError extends Error {
  override readonly name = "ExecError";
  readonly code: ExecErrorCode;
  readonly field: string | undefined;
  readonly receiptId: string | undefined;

  constructor(code: ExecErrorCode, message: string, options: ExecErrorOptions = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.field = options.field;
    this.receiptId = options.receiptId;
  }
}
