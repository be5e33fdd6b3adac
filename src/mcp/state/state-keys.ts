/** The names under which sandbox state travels in MCP. They are Codex's, except for our own. */

/** Advertised by a server that wants the state, and the key of `_meta` that carries it. */
export const STATE_KEY = "codex/sandbox-state-meta";

/** The second name that newer clients use, with the same value. */
export const STATE_ALIAS = "codex/sandbox-state";

/** What the turn is said to run under, in one coarse word. */
export const TURN_KEY = "x-codex-turn-metadata";

/** Ours: which call of which thread this is, and in a result which receipt was kept of it. */
export const RECEIPT_KEY = "dev.writ/receipt";

/** All that speaks of the sandbox of a call. Nobody but the host that holds the policy sets these. */
export const STATE_KEYS: readonly string[] = [
  STATE_KEY,
  STATE_ALIAS,
  "codex/sandbox-launcher",
  RECEIPT_KEY,
];
