import { commandLine } from "../view/command-line.ts";
import { shownId, type ThreadItem } from "../view/item-text.ts";
import { type ChatCommand, ChatInputError } from "./chat-command.ts";

const MOST_RECEIPTS = 20;

/** `/receipts`: what was enforced on the commands and changes of this thread, the newest first. */
export const receiptsCommand: ChatCommand = {
  name: "receipts",
  usage: "/receipts",
  summary: "receipts of this thread, the newest first",
  async run(argument, { thread, call }) {
    if (argument !== "") throw new ChatInputError(`Cannot use "${argument}": expected nothing`);
    const { thread: read } = await call.thread.read({ threadId: thread.id, includeTurns: true });
    const found = read.turns
      .flatMap(({ items }) => items)
      .filter((item) => item.type === "commandExecution" || item.type === "fileChange")
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

type Received = Extract<ThreadItem, { type: "commandExecution" | "fileChange" }>;

function receiptLine(item: Received): string {
  const { writ } = item;
  const denied = writ?.denial ? "denied" : "";
  const id = shownId(writ?.receiptId ?? "");
  return `${id}  ${endOf(item).padEnd(11)}  ${denied.padEnd(6)}  ${whatOf(item)}`;
}

function endOf(item: Received): string {
  const isOver = item.type === "commandExecution" && item.exitCode !== null;
  return isOver ? `exit ${item.exitCode}` : item.status;
}

function whatOf(item: Received): string {
  if (item.type === "commandExecution") return commandLine(item.command);
  return item.changes.map(({ kind, path }) => `${kind.type} ${path}`).join(", ");
}
