import { RECEIPT_ID } from "../../../sandbox/index.ts";
import type { LookRecord } from "../../receipts/look-record.ts";
import { boundedIds } from "../write-start.ts";
import { receiptIdOf } from "./to-file-error.ts";

/** Params of a look as far as they matter here. */
export interface LookParams {
  readonly writ?: object | undefined;
}

/** The answer to one. */
export interface Looked {
  readonly writ?: { readonly receiptId: string } | undefined;
}

/** Asks the other machine for a receipt of a look, and tells which one it kept, also with a refusal. */
export async function lookOnRecord<P extends LookParams, T extends Looked>(
  params: P,
  { ids: { thread, ...others }, kept }: LookRecord,
  look: (params: P) => Promise<T>,
): Promise<T> {
  const record = { ...(thread !== undefined && { threadId: thread }), ids: boundedIds(others) };
  try {
    const looked = await look({ ...params, writ: { ...params.writ, record } });
    const { receiptId } = looked.writ ?? {};
    // It becomes part of a thread, and the machine could say anything.
    if (receiptId !== undefined && RECEIPT_ID.test(receiptId)) kept(receiptId);
    return looked;
  } catch (error) {
    const receiptId = receiptIdOf(error);
    if (receiptId !== undefined) kept(receiptId);
    throw error;
  }
}
