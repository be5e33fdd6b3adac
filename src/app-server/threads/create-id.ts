import { randomUUID } from "node:crypto";

/** A new id of a thread, a turn or a message: a UUID of version 7, which sorts by time. */
export function createId(now: number): string {
  const hex = now.toString(16).padStart(12, "0");
  // The random half of a version 4 is that of a version 7, and comes from a store that is filled in advance.
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7${randomUUID().slice(15)}`;
}

/** Whether a text can be the id of a thread; what cannot is told apart from what there is not. */
export function isThreadId(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}
