/**
 * What a turn consists of, as it is kept, shown and given to the model again.
 *
 * An item names what happened once; the wire and the model's history are written
 * from it. A tool call that was refused is an item too, with the reason.
 */
import type { AgentMessage, Reasoning } from "./items/agent-message.ts";
import type { ClientToolCall } from "./items/client-tool-call.ts";
import type { FileChange } from "./items/file-change.ts";
import type { ItemStatus, ModelCall, RefusedCall, TerminalWrite } from "./items/model-call.ts";
import type { ToolUse } from "./items/tool-use.ts";
import type { UserMessage } from "./items/user-message.ts";

export type { ModelCall };

export interface CommandExecution {
  readonly type: "commandExecution";
  readonly id: string;
  /** As a person would type it. */
  readonly command: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  /** Of a process that goes on after the call; nothing otherwise. */
  readonly processId: string | null;
  readonly source: "agent" | "userShell";
  readonly status: ItemStatus;
  readonly output: string | null;
  readonly exitCode: number | null;
  readonly durationMs: number | null;
  readonly receiptId: string | null;
  /** Why it was refused, or what it was probably denied, with the rule; nothing otherwise. */
  readonly denial: string | null;
  readonly call: ModelCall | null;
}

export interface McpToolCall {
  readonly type: "mcpToolCall";
  readonly id: string;
  readonly server: string;
  readonly tool: string;
  readonly status: Exclude<ItemStatus, "declined">;
  readonly arguments: unknown;
  readonly readOnlyHint: boolean | null;
  readonly result: {
    readonly content: readonly unknown[];
    readonly structuredContent: unknown;
    readonly meta: unknown;
  } | null;
  readonly error: string | null;
  readonly durationMs: number | null;
  /** The receipt that the server names, or that of its process; nothing where none is known. */
  readonly receiptId: string | null;
  readonly call: ModelCall | null;
}

export type TurnItem =
  | UserMessage
  | AgentMessage
  | Reasoning
  | CommandExecution
  | FileChange
  | ToolUse
  | McpToolCall
  | ClientToolCall
  | TerminalWrite
  | RefusedCall;
