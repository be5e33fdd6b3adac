/**
 * Items as clients know them. Every member that may be null is there and null:
 * strict clients drop what lacks one, and then wait for ever.
 */

import type { z } from "zod";
import type { FileUpdate, TurnItem, UserInput } from "../../agent/index.ts";
import type { UserInput as WireInput } from "../protocol/shapes/user-input.ts";
import type { ItemRecord } from "../store/thread-record.ts";

/** An item with its times. */
export function writeItem({ item, startedAt, completedAt }: Omit<ItemRecord, "turn">) {
  return { ...writeBody(item), startedAtMs: startedAt, completedAtMs: completedAt };
}

function writeBody(item: TurnItem) {
  switch (item.type) {
    case "userMessage":
      return { ...item, content: item.content.map(writeInput) };
    case "agentMessage":
      return { ...item, phase: null, memoryCitation: null, delivery: null, questions: null };
    case "reasoning":
      return { ...item, summary: [...item.summary], content: [...item.content] };
    case "commandExecution":
      return writeCommand(item);
    case "fileChange":
      return writeFileChange(item);
    case "toolCall":
      return writeToolUse(item);
    case "terminalWrite":
      return writeTyped(item);
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

function writeFileChange({ call: _call, receiptId, denial, ...item }: Of<"fileChange">) {
  return { ...item, changes: item.changes.map(writeUpdate), writ: { receiptId, denial } };
}

function writeUpdate({ path, kind, diff }: FileUpdate) {
  if (kind.type !== "update") return { path, kind: { type: kind.type }, diff };
  return { path, kind: { type: kind.type, move_path: kind.movePath }, diff };
}

/** Shown as the kind of call that every client can show. */
function writeToolUse({ id, status, image, durationMs, receiptId, denial, call }: Of<"toolCall">) {
  const text = { type: "inputText" as const, text: call.output ?? "" };
  const shown = image && {
    type: "inputImage" as const,
    imageUrl: `data:${image.mimeType};base64,${image.base64}`,
  };
  const isOver = call.output !== null;
  return {
    ...{ type: "dynamicToolCall" as const, id, namespace: null, tool: call.name },
    ...{ arguments: call.input, status, durationMs },
    contentItems: isOver ? [text, ...(shown === null ? [] : [shown])] : null,
    success: isOver ? status === "completed" : null,
    writ: { receiptId, denial },
  };
}

/** The same: its process may be one of an earlier turn, whose item is over and tells nothing any more. */
function writeTyped({ id, status, receiptId, call }: Of<"terminalWrite">) {
  const none = { image: null, durationMs: null, denial: null };
  const told = status === "declined" ? "failed" : status;
  return writeToolUse({ type: "toolCall", id, status: told, ...none, receiptId, call });
}

function writeMcpCall({ call: _call, result, error, receiptId, ...item }: Of<"mcpToolCall">) {
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
    writ: { receiptId, denial: null },
  };
}

function writeClientCall({ type: _, call: _call, content, ...item }: Of<"clientToolCall">) {
  const contentItems = content === null ? null : content.map((one) => ({ ...one }));
  return { ...item, type: "dynamicToolCall" as const, contentItems, writ: null };
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
    writ: null,
  };
}
