import { ReceiptStoreError } from "../../exec/index.ts";

export type ThreadStoreErrorCode =
  | Exclude<ReceiptStoreError["code"], "refused">
  /** There is one of this id. */
  | "exists"
  | "missing"
  /** A cursor that this store did not give, or gave for something else. */
  | "badCursor"
  /** What is to be kept could not be read again, or cannot be meant. */
  | "invalid";

/**
 * Threads could not be kept or read. Callers branch on `code`; people read `message`.
 *
 * "busy" is also said of a thread that another living process has, and "damaged"
 * of one thread or item of a file that is otherwise in order.
 */
export class ThreadStoreError extends Error {
  override readonly name = "ThreadStoreError";
  readonly code: ThreadStoreErrorCode;

  constructor(code: ThreadStoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Does something with the file of a store, and says as an error of this one what came in the way. */
export function asThreadStore<T>(act: () => T): T {
  try {
    return act();
  } catch (cause) {
    if (!(cause instanceof ReceiptStoreError)) throw cause;
    const code = cause.code === "refused" ? "unusable" : cause.code;
    throw new ThreadStoreError(code, cause.message, { cause });
  }
}
