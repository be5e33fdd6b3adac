import { type RpcCode, RpcError } from "../../rpc/index.ts";
import { ExecError, type ExecErrorCode } from "../exec-error.ts";
import { ReceiptStoreError } from "../receipts/receipt-store-error.ts";

/** What each refusal is called on the wire. */
const CODES: Record<ExecErrorCode, RpcCode> = {
  invalidRequest: "invalidParams",
  notAllowed: "invalidParams",
  unenforceable: "invalidParams",
  unknownAnchor: "invalidParams",
  spawnFailed: "internalError",
  untrustedServer: "internalError",
  disconnected: "internalError",
  lostOutput: "internalError",
  unkept: "internalError",
};

/** The only errors of this layer that cross a wire; everything else stays a fault of ours. */
export function toRpcError(error: unknown): unknown {
  // Nothing runs whose receipt cannot be kept; whoever asked is told so.
  if (error instanceof ReceiptStoreError) {
    return new RpcError("internalError", error.message, { cause: error });
  }
  if (!(error instanceof ExecError)) return error;
  const { code, message, field, receiptId } = error;
  const data = {
    ...(field !== undefined && { field }),
    writ: { code, ...(receiptId !== undefined && { receiptId }) },
  };
  const told = field === undefined || message.includes(field) ? message : `${field}: ${message}`;
  return new RpcError(CODES[code], told, { cause: error, data });
}
