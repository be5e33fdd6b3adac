import type { ChatEvent } from "../client/chat-event.ts";

/** One thing that happened in a turn, as a client hears of it. */
export type ThreadItem = Extract<ChatEvent, { kind: "itemCompleted" }>["params"]["item"];

/** Enough of the end of an id, which is chance, to tell a few thousand apart. */
const SHOWN_ID = 8;

/** A receipt as a person may name it. */
export function shownId(receiptId: string): string {
  return receiptId.slice(-SHOWN_ID);
}

/** All that an item printed or answered; empty where it is of another kind. */
export function itemOutput(item: ThreadItem): string {
  switch (item.type) {
    case "agentMessage":
      return item.text;
    case "commandExecution":
      return item.aggregatedOutput ?? "";
    case "mcpToolCall":
      return (item.result?.content ?? []).flatMap(textOf).join("\n");
    case "dynamicToolCall":
      return (item.contentItems ?? []).flatMap(textOf).join("\n");
    default:
      return "";
  }
}

/** What is said of an item when it is over, a line each; of a command others say it. */
export function itemText(item: ThreadItem): string[] {
  switch (item.type) {
    case "mcpToolCall":
      return [mcpText(item)];
    case "dynamicToolCall":
      return [[`${item.tool}: ${item.status}`, ...receiptOf(item)].join(", ")];
    case "fileChange":
      return [
        ...item.changes.map(({ kind, path }) => `${kind.type} ${path}: ${item.status}`),
        ...(item.writ?.denial ? [`${item.writ.denial}.`] : []),
        ...receiptOf(item),
      ];
    case "reasoning":
      return item.summary.map((part) => `thought: ${part}`);
    default:
      return [];
  }
}

type Received = Extract<ThreadItem, { type: "dynamicToolCall" | "fileChange" | "mcpToolCall" }>;

function receiptOf({ writ }: Pick<Received, "writ">) {
  return writ?.receiptId ? [`receipt ${shownId(writ.receiptId)}`] : [];
}

function mcpText({
  server,
  tool,
  status,
  error,
  writ,
}: Extract<Received, { type: "mcpToolCall" }>) {
  const end = `${server}.${tool}: ${error === null ? status : error.message}`;
  return [end, ...receiptOf({ writ })].join(", ");
}

function textOf(content: unknown): string[] {
  const { text } = Object(content);
  return typeof text === "string" && text !== "" ? [text] : [];
}
