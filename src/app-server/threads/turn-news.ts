import type { TokenUsage, TurnEvent } from "../../agent/index.ts";
import { appProtocol } from "../protocol/app-protocol.ts";
import type { ItemRecord } from "../store/thread-record.ts";
import { writeItem } from "../wire/write-item.ts";
import type { Subscribers } from "./subscribers.ts";

const { notify } = appProtocol.toClient;

/** Tells the followers of a thread what its turn does. */
export class TurnNews {
  readonly #threadId: string;
  readonly #subscribers: Subscribers;
  #total: TokenUsage = {
    inputTokens: 0,
    cachedInputTokens: 0,
    outputTokens: 0,
    reasoningOutputTokens: 0,
    totalTokens: 0,
  };

  constructor(threadId: string, subscribers: Subscribers) {
    this.#threadId = threadId;
    this.#subscribers = subscribers;
  }

  /** `item` is what was kept of the event, where it is one about an item. */
  tell(turnId: string, event: TurnEvent, item: ItemRecord | undefined): void {
    const threadId = this.#threadId;
    const subscribers = this.#subscribers;
    const at = { threadId, turnId };
    switch (event.kind) {
      case "itemStarted":
      case "itemCompleted":
        this.#tellItem(at, event.kind, item);
        return;
      case "messageDelta": {
        const { itemId, delta } = event;
        subscribers.notify(notify.itemAgentMessageDelta, { ...at, itemId, delta });
        return;
      }
      case "reasoningDelta":
        this.#tellReasoning(at, event);
        return;
      case "outputDelta": {
        const { itemId, delta } = event;
        subscribers.notify(notify.itemCommandExecutionOutputDelta, { ...at, itemId, delta });
        return;
      }
      case "terminalInteraction": {
        const { itemId, processId, stdin } = event;
        subscribers.notify(notify.itemCommandExecutionTerminalInteraction, {
          ...at,
          itemId,
          processId,
          stdin,
        });
        return;
      }
      case "usage":
        this.#tellUsage(at, event.usage);
    }
  }

  #tellItem(
    at: { readonly threadId: string; readonly turnId: string },
    kind: "itemStarted" | "itemCompleted",
    record: ItemRecord | undefined,
  ): void {
    if (record === undefined) return;
    const item = writeItem(record);
    const { startedAt, completedAt } = record;
    if (kind === "itemStarted") {
      this.#subscribers.notify(notify.itemStarted, { ...at, item, startedAtMs: startedAt });
    } else {
      const completedAtMs = completedAt ?? startedAt;
      this.#subscribers.notify(notify.itemCompleted, { ...at, item, completedAtMs });
    }
  }

  #tellReasoning(
    at: { readonly threadId: string; readonly turnId: string },
    { itemId, part, index, delta }: Extract<TurnEvent, { kind: "reasoningDelta" }>,
  ): void {
    if (part === "summary") {
      const params = { ...at, itemId, delta, summaryIndex: index };
      this.#subscribers.notify(notify.itemReasoningSummaryTextDelta, params);
    } else {
      const params = { ...at, itemId, delta, contentIndex: index };
      this.#subscribers.notify(notify.itemReasoningTextDelta, params);
    }
  }

  #tellUsage(at: { readonly threadId: string; readonly turnId: string }, last: TokenUsage): void {
    this.#total = sum(this.#total, last);
    this.#subscribers.notify(notify.threadTokenUsageUpdated, {
      ...at,
      tokenUsage: {
        total: { ...this.#total, cacheWriteInputTokens: 0 },
        last: { ...last, cacheWriteInputTokens: 0 },
        modelContextWindow: null,
      },
    });
  }
}

function sum(one: TokenUsage, other: TokenUsage): TokenUsage {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    cachedInputTokens: one.cachedInputTokens + other.cachedInputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    reasoningOutputTokens: one.reasoningOutputTokens + other.reasoningOutputTokens,
    totalTokens: one.totalTokens + other.totalTokens,
  };
}
