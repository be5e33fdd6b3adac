/**
 * Which receipt was kept of a call: put into its result by whoever ran it, read by whoever asked.
 *
 * It is as good as the word of the server it comes from.
 */
import { z } from "zod";
import { RECEIPT_ID } from "../../exec/index.ts";
import { RECEIPT_KEY } from "./state-keys.ts";

const Told = z.object({ version: z.literal(1), receiptId: z.string().regex(RECEIPT_ID) });

/** The member of `_meta`; none where no receipt is known. */
export function receiptMeta(receiptId: string | null): Record<string, unknown> {
  return receiptId === null ? {} : { [RECEIPT_KEY]: { version: 1, receiptId } };
}

/** The receipt that a result names; null where it names none. */
export function receiptOfResult(result: {
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
}): string | null {
  const told = Told.safeParse(result._meta?.[RECEIPT_KEY]);
  return told.success ? told.data.receiptId : null;
}
