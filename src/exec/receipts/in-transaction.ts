import type { DatabaseSync } from "node:sqlite";

/**
 * Does all of something or nothing; waits for its turn to write first. Whoever has prepared the
 * statements of a transaction says how they are run.
 */
export function inTransaction<T>(
  database: DatabaseSync,
  act: () => T,
  run: (sql: string) => unknown = (sql) => database.exec(sql),
): T {
  run("BEGIN IMMEDIATE");
  try {
    const done = act();
    run("COMMIT");
    return done;
  } catch (error) {
    // After some failures SQLite has done so itself.
    if (database.isTransaction) run("ROLLBACK");
    throw error;
  }
}
