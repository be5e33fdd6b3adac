import { SandboxError } from "../sandbox-error.ts";
import type { Denials } from "./denial.ts";
import { Receipt } from "./receipt.ts";

/** Everything a receipt says but its version, which is not the caller's to choose. */
export type ReceiptParts = Omit<Receipt, "version">;

/** What a run was denied when nothing was looked at, because nothing ran. */
export const NO_DENIALS: Denials = { listed: [], unlisted: 0 };

/**
 * Makes a receipt.
 *
 * Throws on one that contradicts itself or holds a member that is not part of
 * it: a receipt is believed later, when nobody can ask what was meant.
 */
export function createReceipt(parts: ReceiptParts): Receipt {
  const read = Receipt.safeParse({ ...parts, version: 1 });
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const where = issue?.path.map(String).join(".") || "receipt";
  // Only the place and the rule: a value in the message could be a secret.
  throw new SandboxError(
    "malformedReceipt",
    `Cannot create the receipt: "${where}" is wrong, ${issue?.message ?? ""}`,
  );
}
