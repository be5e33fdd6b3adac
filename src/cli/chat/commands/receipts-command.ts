import { commandText, outcomeWord, type Receipt } from "../../../sandbox/index.ts";
import { areTurnsTooLong, itemsOf } from "../past.ts";
import { commandLine } from "../view/command-line.ts";
import { shownId, type ThreadItem } from "../view/item-text.ts";
import { type ChatCommand, ChatInputError, type ChatPlace } from "./chat-command.ts";

const MOST_RECEIPTS = 20;

/** `/receipts`: what was enforced on what ran for this thread, the newest first. */
export const receiptsCommand: ChatCommand = {
  name: "receipts",
  usage: "/receipts",
  summary: "list the receipts of this thread, the newest first",
  async run(argument, { thread, call, kept }) {
    if (argument !== "") throw new ChatInputError(`Cannot use "${argument}": expected nothing`);
    const { runs, changes } = await rowsOfItems({ call, thread });
    const found = newestFirst([...runs, ...kept(thread.id).map(rowOfReceipt), ...changes]);
    if (found.length === 0) return { lines: ["No receipt of this thread is kept."] };
    const more = found.length - MOST_RECEIPTS;
    return {
      isTable: true,
      lines: [
        ...found.slice(0, MOST_RECEIPTS).map(lineOf),
        ...(more > 0 ? [`and ${more} more: writ receipts --thread ${thread.id}`] : []),
        "All of one: writ receipts show ID",
      ],
    };
  },
};

interface Row {
  readonly id: string;
  readonly end: string;
  readonly isDenied: boolean;
  readonly what: string;
}

type Rows = Readonly<Record<"runs" | "changes", Row[]>>;

/** Of a thread that is too long for one answer, page by page. */
async function rowsOfItems({ call, thread }: Pick<ChatPlace, "call" | "thread">): Promise<Rows> {
  const rows: Rows = { runs: [], changes: [] };
  const add = (item: ThreadItem) =>
    rows[item.type === "fileChange" ? "changes" : "runs"].push(...rowOfItem(item));
  try {
    const { thread: read } = await call.thread.read({ threadId: thread.id, includeTurns: true });
    for (const { items } of read.turns) items.forEach(add);
  } catch (error) {
    if (!areTurnsTooLong(error)) throw error;
    for await (const item of itemsOf(call.thread, thread.id, "asc")) add(item);
  }
  return rows;
}

/** Of two rows of one receipt the later counts: a receipt says how a command ended and whether it was denied, an item of a change what was changed. */
function newestFirst(rows: readonly Row[]): Row[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return [...byId.values()].sort((one, other) => (one.id < other.id ? 1 : -1));
}

function lineOf({ id, end, isDenied, what }: Row): string {
  const denied = isDenied ? "denied" : "";
  return `${shownId(id)}  ${end.padEnd(11)}  ${denied.padEnd(6)}  ${what}`;
}

function rowOfItem(item: ThreadItem): Row[] {
  if (!isReceived(item)) return [];
  const { receiptId: id, denial } = item.writ ?? {};
  if (!id) return [];
  return [{ id, end: endOf(item), isDenied: Boolean(denial), what: whatOf(item) }];
}

/** Of all that ran on this machine, a server, a search and a command that goes on among it. */
function rowOfReceipt({ id, outcome, denials, command }: Receipt): Row {
  const [shell, flag = "", line] = command;
  const isLine = command.length === 3 && shell === "/bin/bash" && /^-l?c$/.test(flag);
  const what = isLine && line !== undefined ? line : commandText(command);
  return { id, end: outcomeWord(outcome), isDenied: denials.listed.length > 0, what };
}

type Received = Extract<
  ThreadItem,
  { type: "commandExecution" | "fileChange" | "dynamicToolCall" | "mcpToolCall" }
>;

const RECEIVED: readonly string[] = [
  ...["commandExecution", "fileChange", "dynamicToolCall", "mcpToolCall"],
];

function isReceived(item: ThreadItem): item is Received {
  return RECEIVED.includes(item.type);
}

function endOf(item: Received): string {
  const isOver = item.type === "commandExecution" && item.exitCode !== null;
  return isOver ? `exit ${item.exitCode}` : item.status;
}

function whatOf(item: Received): string {
  if (item.type === "commandExecution") return commandLine(item.command);
  if (item.type === "mcpToolCall") return `${item.server}.${item.tool}`;
  if (item.type === "dynamicToolCall") return `${item.tool} ${wordsOf(item.arguments)}`;
  return item.changes.map(({ kind, path }) => `${kind.type} ${path}`).join(", ");
}

/** What a model wrote is told as it wrote it. */
function wordsOf(given: Extract<Received, { type: "dynamicToolCall" }>["arguments"]): string {
  return typeof given === "string" ? given : JSON.stringify(given);
}
