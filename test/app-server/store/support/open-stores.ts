import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished } from "vitest";
import { openThreadStore } from "../../../../src/app-server/store/open-thread-store.ts";
import type { ThreadStore } from "../../../../src/app-server/store/thread-store.ts";
import { parseAbsolutePath } from "../../../../src/policy/index.ts";

export const NAME = "threads.db";

/** The threads in a folder, closed with the test. */
export function storeIn(folder: string): ThreadStore {
  const store = openThreadStore(parseAbsolutePath(folder));
  onTestFinished(() => store.close());
  return store;
}

/** Changes the file behind the back of a store. */
export function meddle(folder: string, sql: string, ...values: (string | number)[]): void {
  const database = new DatabaseSync(path.join(folder, NAME));
  database.prepare(sql).run(...values);
  database.close();
}

/** What a refusal is, for `toThrow`. */
export function refusal(code: string, words = ""): unknown {
  const message = expect.stringContaining(words);
  return expect.objectContaining({ name: "ThreadStoreError", code, message });
}
