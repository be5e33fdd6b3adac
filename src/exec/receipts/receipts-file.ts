import type { StoreKind } from "./open-store-file.ts";

/** How receipts are kept: a run is one row; its end is another. Neither is written over. */
export const RECEIPTS_FILE: StoreKind = {
  file: "receipts.sqlite",
  // "writ" in ASCII.
  application: 0x77726974,
  version: 1,
  holds: "receipts",
  tables: `
  CREATE TABLE runs (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    thread TEXT,
    process TEXT,
    start TEXT
  ) STRICT;
  CREATE INDEX runs_of_thread ON runs (thread) WHERE thread IS NOT NULL;
  CREATE TABLE ends (seq INTEGER PRIMARY KEY, receipt TEXT NOT NULL) STRICT;
  CREATE TRIGGER runs_stay BEFORE UPDATE ON runs BEGIN SELECT RAISE(ABORT, 'append-only'); END;
  CREATE TRIGGER ends_stay BEFORE UPDATE ON ends BEGIN SELECT RAISE(ABORT, 'append-only'); END;
`,
};
