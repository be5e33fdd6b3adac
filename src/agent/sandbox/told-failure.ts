import { ExecError } from "../../exec/index.ts";
import { SessionError } from "../../session/index.ts";

/** Why something was not done, in the words of whoever knows most of it. */
export interface ToldFailure {
  readonly message: string;
  readonly receiptId: string | undefined;
}

/** A session says what became of a call; the executor below it says why, where it refused. */
export function toldFailure(error: unknown): ToldFailure {
  let receiptId: string | undefined;
  for (let one = error; one instanceof Error; one = one.cause) {
    if (one instanceof ExecError) return { message: one.message, receiptId: one.receiptId };
    if (one instanceof SessionError) receiptId ??= one.receiptId ?? undefined;
  }
  return { message: error instanceof Error ? error.message : String(error), receiptId };
}
