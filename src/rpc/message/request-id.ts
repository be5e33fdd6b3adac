/** What pairs an answer with its question. */
export type RequestId = string | number;

/** The kinds of id a server takes. */
export type IdKind = "string" | "integer";

/**
 * True for a string, or for an integer between -2^53 and 2^53, which a double holds
 * exactly. Only the value survives a round trip: `1.0` and `1e2` are answered as `1` and `100`.
 */
export function isRequestId(value: unknown, kinds: readonly IdKind[]): value is RequestId {
  if (typeof value === "string") return kinds.includes("string");
  return Number.isSafeInteger(value) && kinds.includes("integer");
}
