/**
 * The port by which tools enter the loop.
 *
 * A tool says what it does as items, which it emits itself: started before it
 * asks or starts anything, completed when it is over. Whatever comes of a call,
 * the model gets an output for it.
 */

import type { ApprovalQuestion } from "../approval.ts";
import type { ToolDeclaration } from "../model/model.ts";
import type { TurnFrame } from "../turn-frame.ts";
import type { TurnItem } from "../turn-item.ts";
import type { TurnPort } from "../turn-port.ts";

/** A call as the model made it; nothing of it has been looked at. */
export interface ToolCall {
  readonly callId: string;
  readonly name: string;
  /** JSON, if the model kept to it. */
  readonly input: string;
}

/**
 * What came of a question. An answer that never came, or cannot be read, is `unanswered`, one about a
 * machine that is not there or has become another is `moved`, and one that nobody can hold against the
 * bounds of the host is `unbounded`; all of them are no permission.
 */
export type Verdict = "accepted" | "declined" | "cancelled" | "unanswered" | "moved" | "unbounded";

export interface ToolContext {
  readonly thread: string;
  readonly turn: string;
  /** Of now: a grant changes it, between one call and the next. */
  readonly frame: TurnFrame;
  /** Whether the frame has something that was granted for this turn: what has it must not outlive the turn. */
  readonly isPassing: boolean;
  /** `emit` and `signal` are for tools; questions go through `ask`. */
  readonly port: TurnPort;
  /** The time for items. */
  now(): number;
  /** Asks, unless the same subject was accepted for the session of this thread. Never throws. */
  ask(question: ApprovalQuestion): Promise<Verdict>;
}

/** How a call ended: its item, with the output for the model in `call`, and whether the turn goes on. */
export interface ToolOutcome {
  readonly item: TurnItem;
  readonly next: "goOn" | "stop";
}

/** Tools of one kind, for all threads. `openThread` starts nothing. */
export interface ToolSource {
  openThread(thread: string): {
    /** What the model is told of; asked before every request of it. Throws nothing: a source without its tools has none. */
    declarations(context: ToolContext): Promise<readonly ToolDeclaration[]>;
    has(name: string): boolean;
    /** Only for names that it has. Never throws for what a model wrote or a tool did. */
    run(call: ToolCall, context: ToolContext): Promise<ToolOutcome>;
    /** At the end of each turn, also of one that was stopped. */
    endTurn(context: ToolContext): Promise<void>;
    /** Ends every process of the thread. */
    close(): Promise<void>;
  };
}
