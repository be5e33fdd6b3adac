import type { z } from "zod";
import { RpcError } from "../../../rpc/index.ts";
import type { WritLook } from "../../protocol/file-methods.ts";
import type { LookRecord } from "../../receipts/look-record.ts";
import { fileRpcError } from "./file-rpc-error.ts";

interface Asked {
  readonly writ?: z.output<typeof WritLook> | undefined;
}

interface Recorded {
  readonly record?: LookRecord;
}

/** Has a look put on record where the client asks for it, and tells which receipt was kept, also with a refusal. */
export async function onRecord<T extends object>(
  { writ }: Asked,
  look: (recorded: Recorded) => Promise<T>,
): Promise<T & { readonly writ?: { readonly receiptId: string } }> {
  if (writ?.record === undefined) return look({});
  const { threadId, ids } = writ.record;
  let receiptId: string | undefined;
  const record = {
    ids: { ...ids, ...(threadId !== undefined && { thread: threadId }) },
    kept: (id: string) => {
      receiptId = id;
    },
  };
  try {
    const seen = await look({ record });
    return receiptId === undefined ? seen : { ...seen, writ: { receiptId } };
  } catch (error) {
    const told = fileRpcError(error);
    throw receiptId === undefined ? told : withReceipt(told, receiptId);
  }
}

function withReceipt(error: unknown, receiptId: string): unknown {
  if (!(error instanceof RpcError)) return error;
  const { wireCode, message, data } = error;
  const { writ, ...rest } = membersOf(data);
  const told = { ...rest, writ: { ...membersOf(writ), receiptId } };
  return new RpcError(wireCode, message, { cause: error.cause, data: told });
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
