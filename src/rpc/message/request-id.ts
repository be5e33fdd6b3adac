/** What pairs an answer with its question. */
export type RequestId = string | number;

/** The kinds of id a server takes. */
export type IdKind = "string" | "integer";

/** True for an id that survives a round trip: a string or an integer that a double holds exactly. */
export function isRequestId(value: unknown, kinds: readonly IdKind[]): value is RequestId {
  if (typeof value === "string") return kinds.includes("string");
  return Number.isSafeInteger(value) && kinds.includes("integer");
}
