import type { DatabaseSync } from "node:sqlite";

/** Does all of something or nothing; waits for its turn to write first. */
export function inTransaction<T>(database: DatabaseSync, act: () => T): T {
  database.exec("BEGIN IMMEDIATE");
  try {
    const done = act();
    database.exec("COMMIT");
    return done;
  } catch (error) {
    // After some failures SQLite has done so itself.
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}
