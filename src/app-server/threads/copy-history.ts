import type { ThreadRecord, TurnRecord } from "../store/thread-record.ts";
import type { Page, ThreadStore } from "../store/thread-store.ts";

export interface HistorySource {
  readonly store: ThreadStore;
  readonly id: string;
}

export interface HistoryTarget {
  readonly store: ThreadStore;
  readonly record: ThreadRecord;
}

/** Makes a thread with the turns and items of another, which may be kept elsewhere; all of it or nothing. */
export function copyHistory(source: HistorySource, target: HistoryTarget): void {
  target.store.atOnce(() => copyWhole(source, target));
}

function copyWhole({ store: from, id }: HistorySource, { store, record }: HistoryTarget): void {
  store.create(record);
  store.claim(record.id);
  if (from === store) {
    store.copyHistory(id, record.id);
    return;
  }
  const items = Map.groupBy(from.history(id), ({ turn }) => turn);
  for (const turn of turnsIn(from, id)) {
    store.startTurn(record.id, turn);
    for (const item of items.get(turn.id) ?? []) store.putItem(record.id, item);
    store.endTurn(record.id, turn.state === "inProgress" ? cutOff(turn, record) : turn);
  }
}

/** What is in progress goes on in the other thread alone. */
function cutOff(turn: TurnRecord, { createdAt }: ThreadRecord): TurnRecord {
  return { ...turn, state: "interrupted", completedAt: createdAt };
}

function turnsIn(store: ThreadStore, id: string): TurnRecord[] {
  const turns: TurnRecord[] = [];
  for (let cursor: string | null = null; ; ) {
    const page: Page<TurnRecord> = store.turns(id, { direction: "ascending", limit: 200, cursor });
    turns.push(...page.data);
    if (page.next === null) return turns;
    cursor = page.next;
  }
}
