import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { parseAbsolutePath } from "../../../src/policy/index.ts";
import { openSessionReader, openSessionStore } from "../../../src/session/index.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { aSession } from "./sessions.ts";

/** A store as it was before sandboxes started from anything, with one session. */
function olderStore() {
  const folder = parseAbsolutePath(temporaryFolder());
  const store = openSessionStore(folder);
  store.put(aSession({ state: "gone", liveWork: 0 }));
  store.close();
  const file = new DatabaseSync(path.join(folder, "sessions.sqlite"));
  file.exec("ALTER TABLE sessions DROP COLUMN dependencies; PRAGMA user_version = 1");
  file.close();
  return folder;
}

describe("a store of sessions of an earlier version", () => {
  it("is read as it is by whoever only looks", () => {
    const reader = openSessionReader(olderStore());
    onTestFinished(() => reader.close());
    expect(reader.get("thread-1")).toMatchObject({ id: "sandbox-1", dependencies: null });
    expect(reader.list()).toHaveLength(1);
  });

  it("is brought up to date by whoever writes, and loses nothing", () => {
    const folder = olderStore();
    for (const thread of ["thread-2", "thread-3"]) {
      const store = openSessionStore(folder);
      store.put(aSession({ thread, dependencies: "d".repeat(64) }));
      store.close();
    }
    const reader = openSessionReader(folder);
    onTestFinished(() => reader.close());
    const kept = ["thread-1", "thread-2", "thread-3"].map((one) => reader.get(one)?.dependencies);
    expect(kept).toEqual([null, "d".repeat(64), "d".repeat(64)]);
  });

  it("refuses a version that nothing leads from", () => {
    const folder = olderStore();
    const file = new DatabaseSync(path.join(folder, "sessions.sqlite"));
    file.exec("PRAGMA user_version = 3");
    file.close();
    expect(() => openSessionStore(folder)).toThrow(/it is of version 3, expected 2/);
  });
});
