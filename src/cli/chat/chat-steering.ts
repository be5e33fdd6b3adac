/**
 * What a person types while a turn runs: it goes to that turn.
 *
 * A command of the chat waits for the end of the turn, and so does all that is typed after it. What
 * comes too late for the turn is said after it; what the turn was stopped before is told.
 */
import { randomUUID } from "node:crypto";
import { ReceivedRpcError } from "../../rpc/index.ts";
import type { ChatThread } from "./chat-thread.ts";
import type { ChatEvent } from "./client/chat-event.ts";
import { ChatInputError } from "./commands/chat-command.ts";
import { parseChatLine } from "./commands/chat-commands.ts";

export interface SteeringPlace {
  readonly thread: ChatThread;
  /** Shows a line that nobody saw being typed. */
  readonly show: (line: string) => void;
  readonly note: (text: string) => void;
  readonly refused: (error: unknown) => void;
}

export class ChatSteering {
  readonly #place: SteeringPlace;
  /** By the name under which the thread will tell of them. */
  readonly #untaken = new Map<string, string>();
  readonly #calls: Promise<void>[] = [];
  readonly #late: string[] = [];

  constructor(place: SteeringPlace) {
    this.#place = place;
  }

  /** Whether the line was taken; otherwise it waits. */
  take(line: string): boolean {
    const { thread, show } = this.#place;
    const text = textOf(line);
    if (thread.turn === undefined || text === undefined) return false;
    if (text === "") return true;
    show(line);
    const name = randomUUID();
    this.#untaken.set(name, line);
    const failed = (error: unknown) => this.#failed(name, error);
    this.#calls.push(thread.steer(text, name).catch(failed));
    return true;
  }

  /** Heeds which lines the turn has taken. */
  hear(event: ChatEvent): void {
    if (event.kind !== "itemStarted" || event.params.item.type !== "userMessage") return;
    this.#untaken.delete(event.params.item.clientId ?? "");
  }

  /** Once the turn is over: what is still to be said. */
  async settle(): Promise<readonly string[]> {
    while (this.#calls.length > 0) await this.#calls.shift();
    for (const line of this.#untaken.values()) {
      this.#place.note(`Not said, since the turn was over before it: ${line}`);
    }
    this.#untaken.clear();
    return this.#late.splice(0);
  }

  #failed(name: string, error: unknown): void {
    const line = this.#untaken.get(name);
    this.#untaken.delete(name);
    const isLate = error instanceof ReceivedRpcError && error.code === "invalidRequest";
    if (isLate && line !== undefined) this.#late.push(line);
    else this.#place.refused(error);
  }
}

/** What would be said; nothing of a command, which is not for the model. */
function textOf(line: string): string | undefined {
  try {
    const parsed = parseChatLine(line);
    if (parsed.kind === "command") return undefined;
    return parsed.kind === "say" ? parsed.text : "";
  } catch (error) {
    if (error instanceof ChatInputError) return undefined;
    throw error;
  }
}
