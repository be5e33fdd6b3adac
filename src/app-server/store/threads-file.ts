import type { StoreKind } from "../../exec/index.ts";

/**
 * How threads are kept. Rows are never deleted, so that a number names one row for good.
 *
 * `cwd` and `words` are there to be searched; what a thread is stands in `record`.
 */
export const THREADS_FILE: StoreKind = {
  file: "threads.db",
  // "wrih" in ASCII.
  application: 0x77726968,
  version: 1,
  holds: "threads",
  tables: `
  CREATE TABLE threads (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    createdAt INTEGER NOT NULL,
    updatedAt INTEGER NOT NULL,
    archived INTEGER NOT NULL CHECK (archived IN (0, 1)),
    cwd TEXT NOT NULL,
    words TEXT NOT NULL,
    record TEXT NOT NULL,
    owner TEXT
  ) STRICT;
  CREATE INDEX threads_by_creation ON threads (archived, createdAt);
  CREATE INDEX threads_by_update ON threads (archived, updatedAt);
  CREATE TABLE turns (
    seq INTEGER PRIMARY KEY,
    thread INTEGER NOT NULL,
    id TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('inProgress', 'completed', 'interrupted', 'failed')),
    error TEXT,
    startedAt INTEGER NOT NULL,
    completedAt INTEGER,
    UNIQUE (thread, id)
  ) STRICT;
  CREATE INDEX turns_in_order ON turns (thread);
  CREATE TABLE items (
    seq INTEGER PRIMARY KEY,
    thread INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    id TEXT NOT NULL,
    isOpen INTEGER NOT NULL CHECK (isOpen IN (0, 1)),
    startedAt INTEGER NOT NULL,
    completedAt INTEGER,
    item TEXT NOT NULL,
    UNIQUE (turn, id)
  ) STRICT;
  CREATE INDEX items_in_order ON items (thread, turn);
  CREATE INDEX items_open ON items (thread) WHERE isOpen = 1;
`,
};
