/**
 * The port between the loop and whatever answers it.
 *
 * A model is asked with the whole history and says what it does as events; it
 * starts nothing itself. What goes wrong with it is thrown as {@link ModelError},
 * whose sentence is shown to people and therefore never holds a key.
 */

import type { TokenUsage } from "../turn-event.ts";
import type { ModelChoice } from "../turn-frame.ts";
import type { TurnItem } from "../turn-item.ts";

/** A tool as a model is told of it. */
export interface ToolDeclaration {
  readonly name: string;
  readonly description: string;
  /** A JSON schema of an object. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

export interface ModelRequest {
  readonly instructions: string | null;
  /** All items of the thread in order, those of this turn included; none is in progress. Later turns have the same ones. */
  readonly history: readonly TurnItem[];
  readonly tools: readonly ToolDeclaration[];
  readonly model: ModelChoice;
  /** Ends the request: `respond` then throws `interrupted`, or just ends. */
  readonly signal: AbortSignal;
}

/** One thing a model does. A call becomes an item of its own; `callId` is unique in the thread. */
export type ModelEvent =
  | { readonly kind: "text"; readonly itemId: string; readonly delta: string }
  | {
      readonly kind: "reasoning";
      readonly itemId: string;
      readonly part: "summary" | "content";
      readonly index: number;
      readonly delta: string;
    }
  /** `input` is JSON as the model wrote it, checked by whoever runs the tool. */
  | {
      readonly kind: "call";
      readonly callId: string;
      readonly name: string;
      readonly input: string;
    }
  | { readonly kind: "usage"; readonly usage: TokenUsage };

export interface Model {
  /** Throws {@link ModelError} from the iteration, never anything else on purpose. */
  respond(request: ModelRequest): AsyncIterable<ModelEvent>;
}

export interface Models {
  /** Throws {@link ModelError} `rejected` where there is no such provider. */
  find(choice: ModelChoice): Model;
}
