import { receiptMeta } from "../../state/receipt-of-result.ts";
import { RECEIPT_KEY } from "../../state/state-keys.ts";
import { memberText, withMember, withoutMembers } from "./member-text.ts";

/**
 * A result with the receipt of the process that gave it, or with none. What the server itself says of receipts
 * is not passed on: it knows of none, and could name somebody else's.
 */
export function withReceipt(text: string, receiptId: string | null): string {
  const result = memberText(text, "result");
  if (!result?.startsWith("{")) return text;
  const told = memberText(result, "_meta");
  if (told !== undefined && !told.startsWith("{")) return text;
  const kept = told === undefined ? undefined : withoutMembers(told, [RECEIPT_KEY]);
  const own = receiptMeta(receiptId)[RECEIPT_KEY];
  const meta = own === undefined ? kept : withMember(kept, RECEIPT_KEY, JSON.stringify(own));
  if (meta === told || meta === undefined) return text;
  return withMember(text, "result", withMember(result, "_meta", meta));
}
