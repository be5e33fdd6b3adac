import { commandLine, SHOWN_ID } from "../view/command-line.ts";
import type { ThreadItem } from "../view/item-text.ts";
import { type ChatCommand, ChatInputError } from "./chat-command.ts";

const MOST_RECEIPTS = 20;

/** `/receipts`: what was enforced on the commands of this thread, the newest first. */
export const receiptsCommand: ChatCommand = {
  name: "receipts",
  usage: "/receipts",
  summary: "receipts of this thread, the newest first",
  async run(argument, { thread, call }) {
    if (argument !== "") throw new ChatInputError(`Cannot use "${argument}": expected nothing`);
    const { thread: read } = await call.thread.read({ threadId: thread.id, includeTurns: true });
    const found = read.turns
      .flatMap(({ items }) => items)
      .filter((item) => item.type === "commandExecution")
      .filter(({ writ }) => writ?.receiptId)
      .reverse();
    if (found.length === 0) return { lines: ["No receipt of this thread is kept."] };
    const more = found.length - MOST_RECEIPTS;
    return {
      isTable: true,
      lines: [
        ...found.slice(0, MOST_RECEIPTS).map(receiptLine),
        ...(more > 0 ? [`and ${more} more: writ receipts --thread ${thread.id}`] : []),
        "All of one: writ receipts show ID",
      ],
    };
  },
};

function receiptLine(item: Extract<ThreadItem, { type: "commandExecution" }>): string {
  const { writ, exitCode, command } = item;
  const end = exitCode === null ? item.status : `exit ${exitCode}`;
  const denied = writ?.denial ? "denied" : "";
  const id = (writ?.receiptId ?? "").slice(-SHOWN_ID);
  return `${id}  ${end.padEnd(11)}  ${denied.padEnd(6)}  ${commandLine(command)}`;
}
