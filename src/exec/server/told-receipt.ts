import type { z } from "zod";
import type { RunningProcess } from "../executor.ts";
import type { WritClosed } from "../protocol/process-methods.ts";
import { ReceiptStoreError } from "../receipts/receipt-store-error.ts";

type Told = { readonly writ?: z.input<typeof WritClosed> };

/** What a client is told of the receipt of a process that is closed: the receipt, or why there is none. */
export async function toldReceipt({ receipt }: RunningProcess): Promise<Told> {
  try {
    const kept = await receipt;
    return kept === undefined ? {} : { writ: { receipt: kept } };
  } catch (error) {
    // The text of any other fault must not cross the wire.
    const isOurs = error instanceof ReceiptStoreError;
    return { writ: { unkept: isOurs ? error.message : "Cannot keep its receipt" } };
  }
}
