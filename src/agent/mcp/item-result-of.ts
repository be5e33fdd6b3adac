import type { CallToolResult } from "@modelcontextprotocol/client";
import { BoundedText } from "../commands/bounded-text.ts";
import type { McpToolCall } from "../turn-item.ts";

/** What a model is shown of one result. */
const MODEL_CHARS = 40_000;
/** What an item keeps of one. */
const ITEM_CHARS = 1 << 20;

/** A result as an item keeps it; of one that is too long, what it was. */
export function itemResultOf(result: CallToolResult): NonNullable<McpToolCall["result"]> {
  const { content, structuredContent = null, _meta: meta = null } = result;
  const length = JSON.stringify([content, structuredContent, meta]).length;
  if (length <= ITEM_CHARS) return { content, structuredContent, meta };
  const text = `The result has ${length} characters and was not kept.`;
  return { content: [{ type: "text", text }], structuredContent: null, meta: null };
}

/** A result in words, for the model. */
export function modelTextOf({ content, structuredContent, isError }: CallToolResult): string {
  const blocks = content.map((block) => {
    if (block.type === "text") return block.text;
    return block.type === "image" || block.type === "audio"
      ? `[${block.type} of ${block.data.length} characters, ${block.mimeType}]`
      : JSON.stringify(block);
  });
  const spoken = blocks.length === 0 && structuredContent !== undefined;
  const text = new BoundedText(MODEL_CHARS);
  text.add(spoken ? JSON.stringify(structuredContent) : blocks.join("\n"));
  const shown = text.total === 0 ? "(no output)" : text.render();
  return isError === true ? `The tool failed.\n${shown}` : shown;
}
