import type { Limits } from "../../../policy/index.ts";
import { RECEIPT_ID } from "../receipt-id.ts";
import type { Members, ValueShape } from "./value-shape.ts";

const text: ValueShape = { is: "text" };
const words: ValueShape = { is: "text", like: /./s };
const digest: ValueShape = { is: "text", like: /^[0-9a-f]{64}$/ };
const time: ValueShape = { is: "time" };
const flag: ValueShape = { is: "flag" };
const number = (from: number, whole = true): ValueShape => ({ is: "number", from, whole });
const word = (...of: (string | number)[]): ValueShape => ({ is: "word", of });
const nullOr = (of: ValueShape): ValueShape => ({ is: "nullOr", of });
const list = (of: ValueShape, atLeast = 0): ValueShape => ({ is: "list", of, atLeast });
const map = (of: ValueShape): ValueShape => ({ is: "map", of });
const members = (of: Members): ValueShape => ({ is: "members", of });
const kinds = (of: Readonly<Record<string, Members>>): ValueShape => ({ is: "kinds", of });

/** A limit more or less does not compile. */
const LIMITS: Readonly<Record<keyof Limits, true>> = {
  wallTimeMs: true,
  cpuTimeMs: true,
  memoryBytes: true,
  processes: true,
  fileSizeBytes: true,
  openFiles: true,
  outputBytes: true,
};
const limit = word(...Object.keys(LIMITS));

const outcome = kinds({
  exited: { code: number(Number.MIN_SAFE_INTEGER) },
  killed: { signal: text },
  ended: { reason: text },
  limit: { limit, value: number(1) },
  notStarted: { reason: text },
  refused: { code: words, message: text },
  running: {},
  unknown: { reason: words },
});

const enforced = members({
  tier: word("namespaces", "seatbelt", "external", "judged", "none"),
  backend: words,
  network: word("none", "private", "host"),
  unixSockets: word("none", "private", "host"),
  limits: list(members({ limit, value: number(1), by: words })),
  launchFiles: list(text),
});

const change = kinds({
  add: { table: word("filesystem", "network"), lines: list(text, 1), note: nullOr(text) },
  replace: {
    table: word("filesystem"),
    lines: list(text, 1),
    replaces: text,
    note: nullOr(text),
  },
  none: { why: text },
});
const told = {
  evidence: word("inferred"),
  stream: word("stdout", "stderr"),
  line: text,
  rule: text,
  reason: text,
  change,
};
const denial = kinds({
  file: { path: text, wanted: word("read", "write"), ...told },
  network: { host: nullOr(text), ...told },
  unixSocket: { path: nullOr(text), ...told },
});

/** What the schema `Receipt` says of each member, for whoever makes one. */
export const RECEIPT_SHAPE: ValueShape = members({
  version: word(1),
  id: { is: "text", like: RECEIPT_ID },
  ids: map(text),
  command: list(text, 1),
  cwd: text,
  intent: nullOr(map({ is: "json" })),
  profileDigest: nullOr(digest),
  boundDigest: nullOr(digest),
  enforced: nullOr(enforced),
  waived: nullOr(members({ by: words, reason: words })),
  notes: list(words),
  outcome,
  denials: members({ looked: flag, listed: list(denial), unlisted: number(0) }),
  leftBehind: kinds({
    notLookedFor: {},
    lookedFor: { files: list(members({ path: text, why: text })), complete: flag },
  }),
  startedAt: time,
  endedAt: nullOr(time),
  durationMs: nullOr(number(0, false)),
});
