import type { ItemRecord } from "../store/thread-record.ts";

/** One for each item, in the order in which they came: of what changes at once, nobody reads more than what it became. */
export function latestRecords(records: readonly ItemRecord[]): readonly ItemRecord[] {
  if (records.length === 1) return records;
  return [...new Map(records.map((record) => [record.item.id, record])).values()];
}
