export type ReceiptStoreErrorCode =
  /** The file is there, but it is not a store of receipts, or not one that this user alone can change. */
  | "foreign"
  /** A later version of writ made it. */
  | "newer"
  /** It was one, and cannot be read any more. */
  | "damaged"
  /** There is no room for another receipt. */
  | "full"
  /** Somebody else held it for too long. */
  | "busy"
  /** A receipt that is too large, or that was kept before. */
  | "refused"
  /** The host does not let it be used. */
  | "unusable";

/**
 * A receipt could not be kept or read.
 *
 * Whoever wanted to run something must not run it then: nothing runs without a receipt.
 */
export class ReceiptStoreError extends Error {
  override readonly name = "ReceiptStoreError";
  readonly code: ReceiptStoreErrorCode;

  constructor(code: ReceiptStoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
