import { receiptMeta } from "../../state/receipt-of-result.ts";
import { RECEIPT_KEY } from "../../state/state-keys.ts";
import { changeMember, withMember, withoutMembers } from "./member-text.ts";

/**
 * A result with the receipt of the process that gave it, or with none. What the server itself says of receipts
 * is not passed on: it knows of none, and could name somebody else's.
 */
export function withReceipt(text: string, receiptId: string | null): string {
  const own = receiptMeta(receiptId)[RECEIPT_KEY];
  return changeMember(text, "result", (result) => {
    if (!result?.startsWith("{")) return undefined;
    return changeMember(result, "_meta", (told) => {
      if (told !== undefined && !told.startsWith("{")) return undefined;
      const kept = told && withoutMembers(told, [RECEIPT_KEY]);
      return own === undefined ? kept : withMember(kept, RECEIPT_KEY, JSON.stringify(own));
    });
  });
}
