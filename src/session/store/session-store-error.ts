import { ReceiptStoreError } from "../../exec/index.ts";

export type SessionStoreErrorCode =
  | ReceiptStoreError["code"]
  /** What is to be kept cannot be meant: a name that is empty or too long, a count below zero. */
  | "invalid";

/** Sessions could not be kept or read. Callers branch on `code`; people read `message`. */
export class SessionStoreError extends Error {
  override readonly name = "SessionStoreError";
  readonly code: SessionStoreErrorCode;

  constructor(code: SessionStoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Does something with the file of a store, and says as an error of this one what came in the way. */
export function asSessionStore<T>(act: () => T): T {
  try {
    return act();
  } catch (cause) {
    if (!(cause instanceof ReceiptStoreError)) throw cause;
    throw new SessionStoreError(cause.code, cause.message, { cause });
  }
}
