import type { UserInput } from "./items/user-message.ts";
import type { TurnFrame } from "./turn-frame.ts";
import type { TurnItem } from "./turn-item.ts";

export interface SaidInput {
  /** Of the item that it becomes. */
  readonly id: string;
  readonly clientId: string | null;
  readonly content: readonly UserInput[];
}

export interface TurnRequest {
  readonly turn: string;
  /** All items of the thread before what is said. */
  readonly history: readonly TurnItem[];
  readonly input: SaidInput;
  readonly frame: TurnFrame;
}

/** A command that the user types, not the model. */
export interface ShellRequest {
  readonly turn: string;
  readonly command: string;
  readonly frame: TurnFrame;
}
