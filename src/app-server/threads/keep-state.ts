import type { ThreadStore } from "../store/thread-store.ts";
import type { ThreadState } from "./thread-state.ts";

/** Keeps what is new, if anything is to be kept of the thread; the state as it is kept. */
export function keepState(store: ThreadStore, before: ThreadState, next: ThreadState): ThreadState {
  const { record } = next;
  if (!next.isKept || record === before.record) return next;
  if (!before.isKept) {
    store.create(record);
    store.claim(record.id);
    return next;
  }
  const { settings, preview, name } = record;
  const change = {
    ...(settings !== before.record.settings && { settings }),
    ...(preview !== before.record.preview && { preview }),
    ...(name !== before.record.name && { name }),
  };
  return { ...next, record: store.update(record.id, change) };
}
