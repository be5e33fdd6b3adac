import { itemOutput, type ThreadItem } from "./item-text.ts";

type CallItem = Extract<ThreadItem, { type: "dynamicToolCall" }>;

/** Whether a model types into a process that goes on, or reads from it. */
export function isWrite(item: ThreadItem): item is CallItem {
  return item.type === "dynamicToolCall" && item.namespace === null && item.tool === "write_stdin";
}

/** What it types, as it is: an Enter that is missing or hidden is as much a part of it. Nothing where it only reads. */
export function typedText({ arguments: written }: CallItem): string | undefined {
  const { session_id: session, chars } = Object(parsed(written));
  if (typeof chars !== "string" || chars === "") return undefined;
  return `into session ${JSON.stringify(session)}: ${JSON.stringify(chars)}`;
}

/** What the process printed, without the lines that are for the model; all of it where it is no report. */
export function printedSince(item: CallItem): string {
  const text = itemOutput(item);
  const found = /^Output:\n/m.exec(text);
  return found === null ? text : text.slice(found.index + found[0].length);
}

/** A model may write anything. */
function parsed(written: unknown): unknown {
  try {
    return JSON.parse(String(written));
  } catch {
    return undefined;
  }
}
