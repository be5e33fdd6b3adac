import type { TurnItem } from "./turn-item.ts";

export interface TokenUsage {
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  readonly reasoningOutputTokens: number;
  readonly totalTokens: number;
}

/** What a turn says of itself while it runs. What was completed is authoritative; deltas are for the eye. */
export type TurnEvent =
  | { readonly kind: "itemStarted"; readonly item: TurnItem; readonly atMs: number }
  | { readonly kind: "itemCompleted"; readonly item: TurnItem; readonly atMs: number }
  | { readonly kind: "messageDelta"; readonly itemId: string; readonly delta: string }
  | {
      readonly kind: "reasoningDelta";
      readonly itemId: string;
      readonly part: "summary" | "content";
      readonly index: number;
      readonly delta: string;
    }
  | { readonly kind: "outputDelta"; readonly itemId: string; readonly delta: string }
  | {
      readonly kind: "terminalInteraction";
      readonly itemId: string;
      readonly processId: string;
      readonly stdin: string;
    }
  | { readonly kind: "usage"; readonly usage: TokenUsage };
