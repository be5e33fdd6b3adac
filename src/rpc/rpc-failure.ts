/** Why a call has no answer from the other side. */
export type RpcFailureCode =
  /** The connection ended before the answer came. */
  | "closed"
  | "timedOut"
  /** The caller's signal fired. */
  | "cancelled"
  /** What was to be sent, or what came back, is not what the method declares. */
  | "badParams"
  | "badReply";

/** A local outcome of a call. It never crosses a wire: nobody on the other side said it. */
export class RpcFailure extends Error {
  override readonly name = "RpcFailure";
  readonly code: RpcFailureCode;

  constructor(code: RpcFailureCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
