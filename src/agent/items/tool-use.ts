import type { ItemStatus, ModelCall } from "./model-call.ts";

/** A picture that a model is shown. */
export interface ShownImage {
  readonly mimeType: string;
  readonly base64: string;
}

/** A call of a tool of ours that only looks: a file, a folder, a search. */
export interface ToolUse {
  readonly type: "toolCall";
  readonly id: string;
  readonly status: Exclude<ItemStatus, "declined">;
  readonly image: ShownImage | null;
  readonly durationMs: number | null;
  readonly receiptId: string | null;
  /** Why it was refused, with the rule; nothing otherwise. */
  readonly denial: string | null;
  readonly call: ModelCall;
}
