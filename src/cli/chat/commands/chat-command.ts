import type { Explanation } from "../../../policy/index.ts";
import type { Receipt } from "../../../sandbox/index.ts";
import type { ChatThread } from "../chat-thread.ts";
import type { ChatClient } from "../client/chat-client.ts";
import type { Past } from "../past.ts";

/** What a command of the chat may use. */
export interface ChatPlace {
  readonly thread: ChatThread;
  readonly call: ChatClient["call"];
  /** Under the policy of the thread, on this machine. */
  readonly explain: (path: string) => Promise<Explanation>;
  readonly now: () => number;
  /** The receipts that this machine keeps of a thread; none of one that another server has. */
  kept: (thread: string) => readonly Receipt[];
  /** The ids that were listed last, for people who type numbers. */
  listed: readonly string[];
}

/** What a command has to say, a line each, and what happened before in a thread it went to. */
export interface CommandAnswer {
  readonly lines: readonly string[];
  readonly past?: Past;
  /** Whether the lines are rows, of which the end may be cut to fit. */
  readonly isTable?: true;
  readonly ends?: true;
}

export interface ChatCommand {
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
  run(argument: string, place: ChatPlace): Promise<CommandAnswer>;
}

/** A mistake of whoever typed it: said in one sentence, and nothing is done. */
export class ChatInputError extends Error {
  override readonly name = "ChatInputError";
}
