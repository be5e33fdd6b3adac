import { DatabaseSync } from "node:sqlite";
import { SqliteThreads } from "./sqlite-threads.ts";
import type { ThreadStore } from "./thread-store.ts";
import { THREADS_FILE } from "./threads-file.ts";

/** A store for threads that leave nothing behind: the same as in a file, without the file. */
export function createMemoryStore(): ThreadStore {
  const database = new DatabaseSync(":memory:");
  database.exec(THREADS_FILE.tables);
  const close = () => database.close();
  return new SqliteThreads({ path: "memory", database, refuseMoved: () => {}, close });
}
