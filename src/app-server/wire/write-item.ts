/**
 * Items as clients know them. Every member that may be null is there and null:
 * strict clients drop what lacks one, and then wait for ever.
 */

import type { z } from "zod";
import type { TurnItem, UserInput } from "../../agent/index.ts";
import type { UserInput as WireInput } from "../protocol/shapes/user-input.ts";
import type { ItemRecord } from "../store/thread-record.ts";

/** An item with its times; nothing of one that only the model is told again. */
export function writeItem({ item, startedAt, completedAt }: Omit<ItemRecord, "turn">) {
  if (item.type === "terminalWrite") return undefined;
  return { ...writeBody(item), startedAtMs: startedAt, completedAtMs: completedAt };
}

type ShownItem = Exclude<TurnItem, { type: "terminalWrite" }>;

function writeBody(item: ShownItem) {
  switch (item.type) {
    case "userMessage":
      return { ...item, content: item.content.map(writeInput) };
    case "agentMessage":
      return { ...item, phase: null, memoryCitation: null, delivery: null, questions: null };
    case "reasoning":
      return { ...item, summary: [...item.summary], content: [...item.content] };
    case "commandExecution":
      return writeCommand(item);
    case "mcpToolCall":
      return writeMcpCall(item);
    case "clientToolCall":
      return writeClientCall(item);
    case "refusedCall":
      return writeRefused(item);
  }
}

function writeInput(input: UserInput) {
  if (input.type === "text") return { type: "text" as const, text: input.text, text_elements: [] };
  // Was checked when it came.
  return { ...input.value } as Exclude<z.input<typeof WireInput>, { type: "text" }>;
}

type Of<Type extends TurnItem["type"]> = Extract<TurnItem, { type: Type }>;

function writeCommand({
  argv: _argv,
  call: _call,
  output,
  receiptId,
  denial,
  ...item
}: Of<"commandExecution">) {
  return {
    ...item,
    pluginId: null,
    scriptPath: null,
    commandActions: [{ type: "unknown" as const, command: item.command }],
    aggregatedOutput: output,
    writ: { receiptId, denial },
  };
}

function writeMcpCall({ call: _call, result, error, ...item }: Of<"mcpToolCall">) {
  return {
    ...item,
    appContext: null,
    mcpAppUi: null,
    pluginId: null,
    result: result && {
      content: [...result.content],
      structuredContent: result.structuredContent ?? null,
      _meta: result.meta ?? null,
    },
    error: error === null ? null : { message: error },
  };
}

function writeClientCall({ type: _, call: _call, content, ...item }: Of<"clientToolCall">) {
  const contentItems = content === null ? null : content.map((one) => ({ ...one }));
  return { ...item, type: "dynamicToolCall" as const, contentItems };
}

/** Shown as the kind of call that every client can show. */
function writeRefused({ id, call }: Of<"refusedCall">) {
  return {
    type: "dynamicToolCall" as const,
    id,
    namespace: null,
    tool: call.name,
    arguments: call.input,
    status: "failed" as const,
    contentItems: [{ type: "inputText" as const, text: call.output ?? "" }],
    success: false,
    durationMs: null,
  };
}
