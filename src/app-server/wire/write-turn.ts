import type { ItemRecord, TurnRecord } from "../store/thread-record.ts";
import { writeItem } from "./write-item.ts";

/** How much of a turn is told. */
export type ItemsView = "notLoaded" | "summary" | "full";

/** A turn with the items that its view asks for. */
export function writeTurn(turn: TurnRecord, items: readonly ItemRecord[], itemsView: ItemsView) {
  const { id, state, error, startedAt, completedAt } = turn;
  return {
    id,
    rootTurnId: id,
    items: shownOf(items, itemsView).map(writeItem),
    itemsView,
    status: state,
    error: error === null ? null : writeTurnError(error),
    startedAt: seconds(startedAt),
    completedAt: completedAt && seconds(completedAt),
    durationMs: completedAt && Math.max(0, completedAt - startedAt),
  };
}

/** A turn that was accepted and has not begun. */
export function writeAcceptedTurn(id: string) {
  return {
    id,
    rootTurnId: id,
    items: [],
    itemsView: "notLoaded" as const,
    status: "inProgress" as const,
    error: null,
    startedAt: null,
    completedAt: null,
    durationMs: null,
  };
}

export function writeTurnError(message: string) {
  return { message, codexErrorInfo: null, additionalDetails: null, misalignment: null };
}

/** Unix time, as the protocol has it. */
export function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}

/** A summary is what was said first and last. */
function shownOf(items: readonly ItemRecord[], view: ItemsView): readonly ItemRecord[] {
  if (view === "full") return items;
  if (view === "notLoaded") return [];
  const first = items.find(({ item }) => item.type === "userMessage");
  const last = items.findLast(({ item }) => item.type === "agentMessage");
  return [first, last].filter((one) => one !== undefined);
}
