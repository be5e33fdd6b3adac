import type { StoreKind } from "../../exec/index.ts";

/**
 * How snapshots are kept. A build is claimed by whoever writes its row; what a
 * sandbox stands on has a row for as long as it does.
 */
export const SNAPSHOTS_FILE: StoreKind = {
  file: "snapshots.sqlite",
  // "wrin" in ASCII.
  application: 0x7772696e,
  version: 1,
  holds: "snapshots",
  tables: `
  CREATE TABLE snapshots (
    id TEXT PRIMARY KEY,
    profileHash TEXT NOT NULL,
    provider TEXT NOT NULL,
    runtime TEXT NOT NULL,
    createdAt INTEGER NOT NULL,
    dependencies TEXT NOT NULL,
    bytes INTEGER
  ) STRICT;
  CREATE INDEX snapshots_by_profile ON snapshots (profileHash);
  CREATE TABLE builds (
    profileHash TEXT PRIMARY KEY,
    id TEXT NOT NULL,
    owner TEXT
  ) STRICT;
  CREATE TABLE uses (
    use TEXT PRIMARY KEY,
    id TEXT NOT NULL,
    owner TEXT
  ) STRICT;
`,
};
