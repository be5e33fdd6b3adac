import { ExecError } from "../../exec/index.ts";

/** Why something was not done, in the words of whoever knows most of it. */
export interface ToldFailure {
  readonly message: string;
  readonly receiptId: string | undefined;
}

/** A session says what became of a call; the executor below it says why, where it refused. */
export function toldFailure(error: unknown): ToldFailure {
  for (let one = error; one instanceof Error; one = one.cause) {
    if (one instanceof ExecError) return { message: one.message, receiptId: one.receiptId };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { message, receiptId: undefined };
}
