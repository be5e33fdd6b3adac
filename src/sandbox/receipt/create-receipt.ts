import { SandboxError } from "../sandbox-error.ts";
import { RECEIPT_INVARIANTS } from "./check/receipt-invariants.ts";
import { RECEIPT_SHAPE } from "./check/receipt-shape.ts";
import { findMisfit, type Misfit } from "./check/value-shape.ts";
import type { Denials } from "./denial.ts";
import type { Receipt } from "./receipt.ts";

/** Everything a receipt says but its version, which is not the caller's to choose. */
export type ReceiptParts = Omit<Receipt, "version">;

/** What a run was denied when nothing was looked at: nothing ran, or nobody asked. */
export const NO_DENIALS: Denials = { looked: false, listed: [], unlisted: 0 };

/**
 * Makes a receipt.
 *
 * Throws on one that contradicts itself or holds a member that is not part of
 * it: a receipt is believed later, when nobody can ask what was meant.
 */
export function createReceipt(parts: ReceiptParts): Receipt {
  return checkReceipt({ ...parts, version: 1 });
}

/** A value as the receipt that it is. Throws where it is none. */
export function checkReceipt(value: unknown): Receipt {
  const misfit = findMisfit(value, RECEIPT_SHAPE);
  if (misfit !== undefined) throw malformed(misfit);
  const receipt = value as Receipt;
  const broken = RECEIPT_INVARIANTS.find(({ holds }) => !holds(receipt));
  if (broken !== undefined) throw malformed(broken);
  return receipt;
}

/** Only the place and the rule: a value in the message could be a secret. */
function malformed({ at, expected }: Misfit): SandboxError {
  return new SandboxError(
    "malformedReceipt",
    `Cannot create the receipt: "${at || "receipt"}" is wrong, expected ${expected}`,
  );
}
