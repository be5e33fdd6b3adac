/**
 * What happened in a thread, where it is too much for one answer.
 *
 * A server says so before it does anything; then the items are asked for in pages.
 */
import { ReceivedRpcError } from "../../rpc/index.ts";
import type { ChatClient } from "./client/chat-client.ts";
import type { ThreadItem } from "./view/item-text.ts";

export interface Past {
  /** In the order in which they happened. */
  readonly items: readonly ThreadItem[];
  /** Whether there was more before them. */
  readonly isCut: boolean;
}

type Threads = Pick<ChatClient["call"]["thread"], "itemsList">;

/** Whether a server refused to tell all turns of a thread at once. */
export function areTurnsTooLong(error: unknown): boolean {
  const { writ } = Object(error instanceof ReceivedRpcError ? error.data : undefined);
  return Object(writ).code === "turnsTooLong";
}

/** How many items of a thread are shown to whoever comes back to it. */
export const PAST_SHOWN = 40;

/** The last items of a thread. */
export async function lastItems(threads: Threads, threadId: string): Promise<Past> {
  const items: ThreadItem[] = [];
  for await (const item of itemsOf(threads, threadId, "desc")) {
    if (items.length === PAST_SHOWN) return { items: items.reverse(), isCut: true };
    items.push(item);
  }
  return { items: items.reverse(), isCut: false };
}

const PAGE = 50;

/** All of them, a page at a time. */
export async function* itemsOf(
  threads: Threads,
  threadId: string,
  sortDirection: "asc" | "desc",
): AsyncGenerator<ThreadItem> {
  for (let cursor: string | null = null; ; ) {
    const page: Awaited<ReturnType<Threads["itemsList"]>> = await threads.itemsList({
      ...{ threadId, sortDirection, cursor, limit: PAGE },
    });
    for (const { item } of page.data) yield item;
    if (page.nextCursor === null) return;
    cursor = page.nextCursor;
  }
}
