import { openReceiptReader, ReceiptStoreError } from "../../exec/index.ts";
import { parseAbsolutePath } from "../../policy/index.ts";
import type { Receipt } from "../../sandbox/index.ts";
import type { CliWorld } from "../command.ts";
import { ownHome } from "../policy/bind-flags.ts";
import { ChatInputError } from "./commands/chat-command.ts";

const MOST = 1000;

/** The receipts that this machine keeps of a thread, the newest first. */
export function keptReceipts(thread: string, world: CliWorld): readonly Receipt[] {
  try {
    const reader = openReceiptReader(parseAbsolutePath(ownHome(world)));
    try {
      return reader.list({ thread, limit: MOST });
    } finally {
      reader.close();
    }
  } catch (error) {
    if (!(error instanceof ReceiptStoreError)) throw error;
    throw new ChatInputError(error.message, { cause: error });
  }
}
