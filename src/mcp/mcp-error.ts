export type McpErrorCode =
  /** The server is configured as it cannot run. */
  | "misconfigured"
  /** The server could not be started or did not complete its handshake. */
  | "unreachable"
  /** The server does not ask for the sandbox of a call, so it would not keep to it. */
  | "notOptedIn"
  /** The sandbox of the call could not be told or written. */
  | "noState"
  /** What the caller gave cannot be sent. */
  | "malformedCall"
  /** The connection went before the call was sent. */
  | "notSent"
  /** The call was sent and nobody knows what became of it. It is never sent again. */
  | "outcomeUnknown"
  /** The caller gave up; the server was told so if it had the call. */
  | "cancelled"
  /** No answer in time; the server was told that none is waited for. */
  | "timedOut"
  /** The server answered with an error. */
  | "refused"
  /** The server answered with what is no result of a tool. */
  | "badAnswer"
  /** This connection was closed by its owner. */
  | "closed";

/**
 * A call did not happen, or its result is not known.
 *
 * Programs branch on `code`; people read `message`. A tool that ran and failed
 * is not an error: it is a result that says so.
 */
export class McpError extends Error {
  override readonly name = "McpError";
  readonly code: McpErrorCode;

  constructor(code: McpErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
