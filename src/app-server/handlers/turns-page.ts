import type { ThreadStore } from "../store/thread-store.ts";
import { type ItemsView, writeTurn } from "../wire/write-turn.ts";

export interface TurnsQuery {
  readonly cursor?: string | null | undefined;
  readonly limit?: number | null | undefined;
  readonly sortDirection?: "asc" | "desc" | null | undefined;
  readonly itemsView?: ItemsView | null | undefined;
}

const USUAL_LIMIT = 25;
const MOST = 200;

/** Some turns of a thread; the latest first unless it is asked otherwise. */
export function turnsPage(store: ThreadStore, thread: string, query: TurnsQuery) {
  const view = query.itemsView ?? "summary";
  const { data, next, back } = store.turns(thread, pageOf(query, "desc"));
  return {
    data: data.map((turn) =>
      writeTurn(turn, itemsOf(store, thread, { turn: turn.id, view }), view),
    ),
    nextCursor: next,
    backwardsCursor: back,
  };
}

/** All turns of a thread, with all that happened in them. */
export function turnsOf(store: ThreadStore, thread: string) {
  const items = Map.groupBy(store.history(thread), ({ turn }) => turn);
  return allTurns(store, thread).map((turn) => writeTurn(turn, items.get(turn.id) ?? [], "full"));
}

/** How a request for a page is put to the store. */
export function pageOf({ cursor, limit, sortDirection }: TurnsQuery, usual: "asc" | "desc") {
  return {
    cursor: cursor ?? null,
    limit: Math.min(Math.max(limit ?? USUAL_LIMIT, 1), MOST),
    direction:
      (sortDirection ?? usual) === "asc" ? ("ascending" as const) : ("descending" as const),
  };
}

function allTurns(store: ThreadStore, thread: string) {
  const turns = [];
  for (let cursor: string | null = null; ; ) {
    const page = store.turns(thread, { direction: "ascending", limit: MOST, cursor });
    turns.push(...page.data);
    if (page.next === null) return turns;
    cursor = page.next;
  }
}

function itemsOf(
  store: ThreadStore,
  thread: string,
  { turn, view }: { readonly turn: string; readonly view: ItemsView },
) {
  if (view === "notLoaded") return [];
  const items = [];
  for (let cursor: string | null = null; ; ) {
    const page = store.items(thread, turn, { direction: "ascending", limit: MOST, cursor });
    items.push(...page.data);
    if (page.next === null) return items;
    cursor = page.next;
  }
}
