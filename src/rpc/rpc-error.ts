/**
 * The only error that crosses a wire.
 *
 * Everything else a program throws is local: it is either an expected outcome of
 * a call ({@link RpcFailure}) or a fault whose text stays at home (`to-wire-error`).
 */

/** The codes this program sends, by name. */
export const RPC_CODES = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  overloaded: -32001,
  notFound: -32004,
  conflict: -32010,
} as const;

export type RpcCode = keyof typeof RPC_CODES;

/** The `error` member of a message. */
export interface WireError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export interface RpcErrorOptions extends ErrorOptions {
  /** Sent along; omitted from the wire when absent. */
  readonly data?: unknown;
}

/** A refusal one peer tells the other. Its message is read on the other side: put no secret in it. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  /** `other` is a number a peer sent that this program has no name for. */
  readonly code: RpcCode | "other";
  readonly wireCode: number;
  readonly data?: unknown;

  constructor(code: RpcCode | number, message: string, options: RpcErrorOptions = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.wireCode = typeof code === "number" ? code : RPC_CODES[code];
    this.code = typeof code === "number" ? nameOfCode(code) : code;
    if (options.data !== undefined) this.data = options.data;
  }

  /** The `error` member that says the same. */
  toWire(): WireError {
    const { wireCode: code, message, data } = this;
    return data === undefined ? { code, message } : { code, message, data };
  }
}

function nameOfCode(code: number): RpcCode | "other" {
  const found = Object.entries(RPC_CODES).find(([, number]) => number === code);
  return found ? (found[0] as RpcCode) : "other";
}
