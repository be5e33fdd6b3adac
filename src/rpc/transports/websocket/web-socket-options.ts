export interface WebSocketOptions {
  /** What to do with a binary message: read it as text, or drop it. `accept` when absent. */
  readonly binary?: "accept" | "drop";
  /** Time between pings; 30 s when absent. Missing pongs are tolerated. */
  readonly pingIntervalMs?: number;
  /** Longest message, either way; 64 MiB when absent. A longer one ends the connection. */
  readonly maxMessageBytes?: number;
}
