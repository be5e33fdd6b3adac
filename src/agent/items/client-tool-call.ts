import type { ItemStatus, ModelCall } from "./model-call.ts";

/** A part of what a tool of the client answered, in the words of the wire. */
export type ClientToolContent =
  | { readonly type: "inputText"; readonly text: string }
  | { readonly type: "inputImage"; readonly imageUrl: string }
  | { readonly type: "inputAudio"; readonly audioUrl: string };

/** A call of a tool that whoever follows the thread runs; nothing of it runs here. */
export interface ClientToolCall {
  readonly type: "clientToolCall";
  readonly id: string;
  readonly namespace: string | null;
  readonly tool: string;
  readonly arguments: unknown;
  readonly status: Exclude<ItemStatus, "declined">;
  readonly content: readonly ClientToolContent[] | null;
  readonly success: boolean | null;
  readonly durationMs: number | null;
  readonly call: ModelCall;
}
