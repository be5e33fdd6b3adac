import { ExecError } from "../exec-error.ts";
import { unreadForReceipt } from "./intent-for-receipt.ts";
import { type ReceiptKeeper, RunReceipt } from "./run-receipt.ts";

/** What is known of a start that was refused before it could be read. */
export interface RefusedStart {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly ids: Readonly<Record<string, string>>;
  /** As it came. */
  readonly sandbox: unknown;
}

/** Keeps a receipt of a refusal; returns the error with its id. Whatever is no refusal is returned as it is. */
export function keepRefusal(
  { argv, cwd, ids, sandbox }: RefusedStart,
  error: unknown,
  receipts: ReceiptKeeper,
): unknown {
  if (!(error instanceof ExecError) || error.receiptId !== undefined) return error;
  const command = argv.length === 0 ? [""] : argv;
  const intent = unreadForReceipt(sandbox);
  const receipt = new RunReceipt({ command, cwd, ids, intent, look: {} }, receipts);
  receipt.refuse(error.code, error.message);
  return withReceipt(error, receipt.id);
}

/** The same error, told apart by the receipt that was kept of it. */
export function withReceipt(error: ExecError, receiptId: string): ExecError {
  const { code, message, field, cause } = error;
  return new ExecError(code, message, {
    cause,
    receiptId,
    ...(field !== undefined && { field }),
  });
}
