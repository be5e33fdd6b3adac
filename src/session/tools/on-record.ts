import type { HeldSandbox } from "../lifecycle/sandbox-holder.ts";
import type { FileRequest } from "../provider/provided-sandbox.ts";
import { Refusal } from "../refusal.ts";
import type { ToolContext } from "./sandbox-tool.ts";

/** What a tool saw, and the receipt that the executor kept of it; null where it keeps none. */
export interface OnRecord<T> {
  readonly seen: T;
  readonly receiptId: string | null;
}

/** Looks at a file for a tool. What refuses it has the receipt as well. */
export async function onRecord<T>(
  tool: string,
  { calls, signal, ids }: Pick<ToolContext, "calls" | "signal" | "ids">,
  look: (held: HeldSandbox, under: FileRequest) => Promise<T>,
): Promise<OnRecord<T>> {
  let receiptId: string | null = null;
  const kept = (id: string) => {
    receiptId = id;
  };
  try {
    const seen = await calls.call({ by: tool, signal }, (held) =>
      look(held, { intent: held.intent, signal, ids: { ...ids, tool }, kept }),
    );
    return { seen, receiptId };
  } catch (error) {
    throw withReceipt(error, receiptId);
  }
}

/** The same refusal with its receipt; one that has another keeps that. */
export function withReceipt(error: unknown, receiptId: string | null): unknown {
  if (!(error instanceof Refusal) || receiptId === null || error.receiptId !== null) return error;
  const { code, message, cause } = error;
  return new Refusal(code, message, { cause, receiptId });
}
