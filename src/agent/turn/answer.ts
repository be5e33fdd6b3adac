/**
 * One answer of a model, while it comes: its words become items, its calls are collected.
 *
 * An item that was begun is completed however the answer ends.
 */

import type { AgentMessage, Reasoning } from "../items/agent-message.ts";
import type { ModelEvent } from "../model/model.ts";
import { ModelError } from "../model/model-error.ts";
import type { ToolCall, ToolContext } from "../tools/tool.ts";
import type { TurnItem } from "../turn-item.ts";
import type { ItemIds } from "./item-ids.ts";

type Delta = Extract<ModelEvent, { kind: "text" | "reasoning" }>;

/** Words as they come: in place, since a copy for each delta would cost more with each. */
type Draft =
  | { readonly type: "agentMessage"; readonly id: string; text: string }
  | { readonly type: "reasoning"; readonly id: string; summary: string[]; content: string[] };

/** Of one answer: what a model may say, in how many messages, and how often it may call. */
const MOST_CHARACTERS = 16 << 20;
const MOST_MESSAGES = 1024;
const MOST_CALLS = 256;

export class Answer {
  readonly items: TurnItem[] = [];
  readonly calls: ToolCall[] = [];
  readonly #context: ToolContext;
  readonly #ids: ItemIds;
  #open: { readonly source: string; readonly words: Draft } | undefined;
  #characters = 0;

  constructor(context: ToolContext, ids: ItemIds) {
    this.#context = context;
    this.#ids = ids;
  }

  /** Throws {@link ModelError} `malformed` where there is too much of it. */
  take(event: ModelEvent): void {
    switch (event.kind) {
      case "text":
      case "reasoning":
        this.#count(event.delta.length);
        if (event.delta !== "") this.#add(event);
        return;
      case "call":
        this.#count(event.input.length + event.name.length);
        this.#call(event);
        return;
      case "usage":
        this.#context.port.emit(event);
    }
  }

  /** Completes what was begun. */
  close(): void {
    if (this.#open === undefined) return;
    const item = this.#open.words;
    this.#open = undefined;
    this.items.push(item);
    this.#context.port.emit({ kind: "itemCompleted", item, atMs: this.#context.now() });
  }

  #count(characters: number): void {
    this.#characters += characters;
    if (this.#characters > MOST_CHARACTERS || this.calls.length >= MOST_CALLS) throw tooLong();
  }

  #call({ callId, name, input }: Extract<ModelEvent, { kind: "call" }>): void {
    this.close();
    this.calls.push({ callId: this.#ids.take(callId), name, input });
  }

  #add(event: Delta): void {
    const source = `${event.kind} ${event.itemId}`;
    if (this.#open?.source !== source) {
      this.close();
      this.#open = { source, words: this.#begin(event) };
    }
    const { words } = this.#open;
    const delta = { itemId: words.id, delta: event.delta };
    if (event.kind === "text") this.#context.port.emit({ kind: "messageDelta", ...delta });
    else {
      const { part, index } = event;
      this.#context.port.emit({ kind: "reasoningDelta", ...delta, part, index });
    }
    extend(words, event);
  }

  /** Each is kept when it begins and when it ends, and nobody else is served meanwhile. */
  #begin({ kind, itemId }: Delta): Draft {
    if (this.items.length >= MOST_MESSAGES) throw tooLong();
    const id = this.#ids.take(itemId);
    const words: Draft =
      kind === "text"
        ? { type: "agentMessage", id, text: "" }
        : { type: "reasoning", id, summary: [], content: [] };
    this.#context.port.emit({
      kind: "itemStarted",
      item: asTold(words),
      atMs: this.#context.now(),
    });
    return words;
  }
}

function tooLong(): ModelError {
  const most = `${MOST_CHARACTERS} characters, ${MOST_MESSAGES} messages and ${MOST_CALLS} calls`;
  return new ModelError(
    "malformed",
    `Cannot read the answer of the model: it is too long, expected at most ${most}`,
  );
}

/** What is told of them while they grow does not change any more. */
function asTold(words: Draft): AgentMessage | Reasoning {
  if (words.type === "agentMessage") return { ...words };
  return { ...words, summary: [...words.summary], content: [...words.content] };
}

function extend(words: Draft, event: Delta): void {
  if (words.type === "agentMessage") words.text += event.delta;
  else if (event.kind === "reasoning") {
    const parts = words[event.part];
    // A number beyond the end would leave holes.
    const at = Math.min(Math.max(0, Math.trunc(event.index)), parts.length);
    parts[at] = (parts[at] ?? "") + event.delta;
  }
}
