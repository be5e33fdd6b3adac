import type { RefusedCall } from "../items/model-call.ts";
import type { ToolCall, ToolContext, ToolOutcome } from "./tool.ts";

/** A model may write any amount; of what nobody could use, the beginning is kept. */
const MOST_INPUT = 4096;

/** Answers a call that cannot be made: an item with the reason, which the model is told, and the turn goes on. */
export function refuseCall(
  { callId, name, input }: ToolCall,
  reason: string,
  { port, now }: ToolContext,
): ToolOutcome {
  const kept = (text: string) => text.slice(0, MOST_INPUT).toWellFormed();
  const call = { name: kept(name), input: kept(input) };
  const item: RefusedCall = {
    type: "refusedCall",
    id: callId,
    call: { ...call, output: reason },
  };
  const started: RefusedCall = { ...item, call: { ...call, output: null } };
  const atMs = now();
  port.emit({ kind: "itemStarted", item: started, atMs }, { kind: "itemCompleted", item, atMs });
  return { item, next: "goOn" };
}
