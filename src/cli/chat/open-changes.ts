import type { ChatEvent, ChatQuestion } from "./client/chat-event.ts";
import type { ThreadItem } from "./view/item-text.ts";

type ChangeItem = Extract<ThreadItem, { type: "fileChange" }>;

/** Changes of files that have begun and are not over: a question names the item and does not say what is in it. */
export class OpenChanges {
  readonly #open = new Map<string, ChangeItem["changes"]>();

  hear(event: ChatEvent): void {
    if (event.kind === "itemStarted" || event.kind === "itemCompleted") this.see(event.params.item);
  }

  /** Heeds an item as it is now. */
  see(item: ThreadItem): void {
    if (item.type !== "fileChange") return;
    if (item.status === "inProgress") this.#open.set(item.id, item.changes);
    else this.#open.delete(item.id);
  }

  /** What a question is about; undefined where it is about something else, or nobody told. */
  of({ kind, params }: ChatQuestion): ChangeItem["changes"] | undefined {
    return kind === "fileChangeApproval" ? this.#open.get(params.itemId) : undefined;
  }
}
