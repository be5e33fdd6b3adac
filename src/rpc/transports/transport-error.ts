/** Why a connection or listener could not be had, or could not go on. */
export type TransportErrorCode =
  /** The connection is over; what was to be sent was not. */
  | "closed"
  /** Nobody answered at the address. */
  | "unreachable"
  /** The server answered the handshake with something other than an upgrade. */
  | "refused"
  /** The address is taken, by a live listener or by a file that is not ours to replace. */
  | "addressInUse"
  /** The system refuses the address for another reason, such as a path that is too long. */
  | "cannotBind";

/** A connection or listener that cannot be had, or cannot go on. */
export class TransportError extends Error {
  override readonly name = "TransportError";
  readonly code: TransportErrorCode;

  constructor(code: TransportErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** What a send on a connection that is over rejects with. */
export function closedError(cause?: Error): TransportError {
  const message = "Cannot send: the connection is closed, expected open";
  return new TransportError("closed", message, cause && { cause });
}
