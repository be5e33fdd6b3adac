import type { StoreKind } from "../../exec/index.ts";

/** How sessions are kept: a row for each thread. Without an id, the thread is known to have no sandbox. */
export const SESSIONS_FILE: StoreKind = {
  file: "sessions.sqlite",
  // "wris" in ASCII.
  application: 0x77726973,
  version: 2,
  holds: "sessions",
  tables: `
  CREATE TABLE sessions (
    thread TEXT PRIMARY KEY,
    id TEXT,
    provider TEXT NOT NULL,
    state TEXT NOT NULL,
    boundDigest TEXT NOT NULL,
    profileDigest TEXT,
    generation INTEGER NOT NULL,
    createdAt INTEGER NOT NULL,
    lastUsedAt INTEGER NOT NULL,
    liveWork INTEGER NOT NULL,
    owner TEXT,
    dependencies TEXT
  ) STRICT;
  CREATE INDEX sessions_by_use ON sessions (lastUsedAt);
`,
  upgrades: { 1: "ALTER TABLE sessions ADD COLUMN dependencies TEXT" },
};
