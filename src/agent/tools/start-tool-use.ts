import type { ToolUse } from "../items/tool-use.ts";
import type { ToolCall, ToolContext } from "./tool.ts";

/** The item of a call that is neither a command nor a change of files: told when it begins. */
export function startToolUse(
  { callId, name, input }: ToolCall,
  { port, now }: ToolContext,
): ToolUse {
  const item: ToolUse = {
    ...{ type: "toolCall", id: callId, status: "inProgress" },
    ...{ image: null, durationMs: null, receiptId: null, denial: null },
    call: { name, input, output: null },
  };
  port.emit({ kind: "itemStarted", item, atMs: now() });
  return item;
}
