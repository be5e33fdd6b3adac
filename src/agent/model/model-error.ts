export type ModelErrorCode =
  /** Nobody answered, or not in time. */
  | "unavailable"
  /** Somebody answered and would not: no such provider or model, a key that is not taken, a limit. */
  | "rejected"
  /** The turn was stopped meanwhile. */
  | "interrupted"
  /** What was answered cannot be read. */
  | "malformed";

/** A model did not answer. The message is shown as it is and must not hold a secret. */
export class ModelError extends Error {
  override readonly name = "ModelError";
  readonly code: ModelErrorCode;

  constructor(code: ModelErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
