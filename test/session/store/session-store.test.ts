import fs from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { parseAbsolutePath } from "../../../src/policy/index.ts";
import type { KeptSession } from "../../../src/session/store/kept-session.ts";
import { openSessionReader } from "../../../src/session/store/session-reader.ts";
import { openSessionStore, type SessionStore } from "../../../src/session/store/session-store.ts";
import { sweepDead } from "../../../src/session/store/sweep-dead.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { keepers, kill } from "./run-keeper.ts";
import { aSession } from "./sessions.ts";

const NAME = "sessions.sqlite";
const startKeeper = keepers();

function storeIn(folder: string): SessionStore {
  const store = openSessionStore(parseAbsolutePath(folder));
  onTestFinished(() => store.close());
  return store;
}

function readerOf(folder: string) {
  const reader = openSessionReader(parseAbsolutePath(folder));
  onTestFinished(() => reader.close());
  return reader;
}

describe("a store of sessions", () => {
  it("gives back what was kept, to this process and to others that read", () => {
    const folder = temporaryFolder();
    const store = storeIn(folder);
    const session = aSession({ profileDigest: null });
    expect(store.put(session)).toBe(true);
    expect(store.get("thread-1")).toEqual(session);
    expect(readerOf(folder).list()).toEqual([session]);
  });

  it("D4: tells a thread that has none from one that nobody spoke of", () => {
    const store = storeIn(temporaryFolder());
    store.put(aSession());
    expect(store.clear({ thread: "thread-1", generation: 1 })).toBe(true);
    expect(store.get("thread-1")).toBe(null);
    expect(store.get("thread-2")).toBe(undefined);
    expect(store.list()).toEqual([]);
    store.clear({ thread: "thread-2", generation: 0 });
    expect(store.get("thread-2")).toBe(null);
  });

  it("replaces a row as a whole, and lists the last used first", () => {
    const store = storeIn(temporaryFolder());
    const other = aSession({ thread: "thread-2", id: "sandbox-9", lastUsedAt: 5 });
    const later = aSession({ id: "sandbox-2", generation: 2, profileDigest: null, lastUsedAt: 6 });
    for (const session of [aSession(), other, later]) store.put(session);
    expect(store.list()).toEqual([later, other]);
  });

  it("keeps one sandbox of a generation, whoever comes with another", () => {
    const store = storeIn(temporaryFolder());
    store.put(aSession({ id: "sandbox-1", generation: 1 }));
    expect(store.put(aSession({ id: "sandbox-2", generation: 1 }))).toBe(false);
    expect(store.put(aSession({ id: "sandbox-1", generation: 1, state: "idle" }))).toBe(true);
    expect(store.get("thread-1")).toMatchObject({ id: "sandbox-1", state: "idle" });
  });

  it("keeps a later generation whoever comes late", () => {
    const store = storeIn(temporaryFolder());
    const later = aSession({ id: "sandbox-2", generation: 2 });
    store.put(later);
    expect(store.put(aSession({ generation: 1 }))).toBe(false);
    expect(store.clear({ thread: "thread-1", generation: 1 })).toBe(false);
    expect(store.get("thread-1")).toEqual(later);
    store.clear({ thread: "thread-1", generation: 2 });
    expect(store.put(aSession({ generation: 1 }))).toBe(false);
    expect(store.get("thread-1")).toBe(null);
  });

  it.each<[string, Partial<KeptSession>, string]>([
    ["a thread without a name", { thread: "" }, "expected 1 to 4096"],
    ["an id without end", { id: "x".repeat(4097) }, "expected 1 to 4096"],
    ["work below none", { liveWork: -1 }, "expected a whole number"],
    ["half a generation", { generation: 1.5 }, "expected a whole number"],
    ["a state of its own", { state: "fine" as "ready" }, "expected a state"],
  ])("refuses %s and keeps what it has", (_, wrong, words) => {
    const store = storeIn(temporaryFolder());
    store.put(aSession());
    const invalid = { code: "invalid", message: expect.stringContaining(words) };
    expect(() => store.put(aSession({ generation: 2, ...wrong }))).toThrow(
      expect.objectContaining(invalid),
    );
    expect(store.list()).toEqual([aSession()]);
  });

  it("forgets the oldest of those that are over, and none that lives", () => {
    const store = storeIn(temporaryFolder());
    store.put(aSession({ thread: "old", lastUsedAt: 1 }));
    for (let use = 0; use < 1005; use += 1) {
      store.put(aSession({ thread: `over-${use}`, state: "gone", lastUsedAt: use + 2 }));
    }
    expect(store.list()).toHaveLength(1001);
    expect(store.get("over-4")).toBe(undefined);
    expect(store.get("over-5")).toMatchObject({ state: "gone" });
    expect(store.get("old")).toMatchObject({ state: "ready" });
  });
});

describe("sweep", () => {
  const never = () => Promise.reject(new Error("nobody is asked"));

  it("leaves what living processes have", async () => {
    const folder = temporaryFolder();
    await startKeeper(folder, "theirs");
    const store = storeIn(folder);
    store.put(aSession());
    expect(await store.sweep(never)).toEqual({ adopted: [], gone: [] });
    expect(store.get("theirs")).toMatchObject({ state: "ready", liveWork: 2 });
  });

  it("calls gone what a dead process had, and says so before it was swept", async () => {
    const folder = temporaryFolder();
    await kill(await startKeeper(folder, "theirs"));
    expect(readerOf(folder).get("theirs")).toMatchObject({ state: "gone", liveWork: 0 });
    const store = storeIn(folder);
    const { adopted, gone } = await store.sweep(async () => false);
    expect({ adopted, gone }).toMatchObject({ adopted: [], gone: [{ thread: "theirs" }] });
    expect(await store.sweep(never)).toEqual({ adopted: [], gone: [] });
    expect(store.get("theirs")).toMatchObject({ state: "gone" });
  });

  it("takes what the local provider made for over with its process, and leaves what others made", async () => {
    const folder = temporaryFolder();
    await kill(await startKeeper(folder, "local"));
    await kill(await startKeeper(folder, "elsewhere", "once", "cloud"));
    const store = storeIn(folder);
    expect(await sweepDead(store)).toMatchObject({ adopted: [], gone: [{ thread: "local" }] });
    expect((await store.sweep(async () => true)).adopted).toMatchObject([{ thread: "elsewhere" }]);
  });

  it("adopts what outlived its process, once", async () => {
    const folder = temporaryFolder();
    await kill(await startKeeper(folder, "theirs"));
    const [one, other] = [storeIn(folder), storeIn(folder)];
    const both = await Promise.all([one, other].map((store) => store.sweep(async () => true)));
    expect(both.flatMap(({ adopted }) => adopted)).toMatchObject([
      { thread: "theirs", state: "idle", liveWork: 0 },
    ]);
    expect(one.get("theirs")).toMatchObject({ state: "idle" });
  });

  it("leaves what nobody can say anything about", async () => {
    const folder = temporaryFolder();
    await kill(await startKeeper(folder, "theirs"));
    const store = storeIn(folder);
    expect(await store.sweep(never)).toEqual({ adopted: [], gone: [] });
    expect((await store.sweep(async () => true)).adopted).toHaveLength(1);
  });
});

describe("a process that is killed while it writes", () => {
  it("leaves one whole row", async () => {
    const folder = temporaryFolder();
    for (let round = 1; round <= 5; round += 1) {
      const keeper = await startKeeper(folder, `thread-${round}`, "many");
      await sleep(10 * round);
      await kill(keeper);
      const kept = readerOf(folder).get(`thread-${round}`);
      expect(kept).toMatchObject({
        id: `sandbox-${kept?.generation}`,
        boundDigest: `digest-${kept?.generation}`,
      });
    }
    expect(readerOf(folder).list()).toHaveLength(5);
  });
});

describe("a file that is no store of sessions", () => {
  it.each<[string, string, (file: string) => void]>([
    ["a text", "damaged", (file) => fs.writeFileSync(file, "x".repeat(9000), { mode: 0o600 })],
    ["one that others may read", "foreign", (file) => fs.writeFileSync(file, "", { mode: 0o644 })],
    ["a folder", "foreign", (file) => fs.mkdirSync(file)],
    [
      "a store of receipts",
      "foreign",
      (file) => {
        const database = new DatabaseSync(file);
        database.exec("PRAGMA application_id = 0x77726974; PRAGMA user_version = 1");
        database.close();
        fs.chmodSync(file, 0o600);
      },
    ],
  ])("is refused where it is %s", (_, code, make) => {
    const folder = temporaryFolder();
    make(path.join(folder, NAME));
    const refusal = expect.objectContaining({ name: "SessionStoreError", code });
    expect(() => openSessionStore(parseAbsolutePath(folder))).toThrow(refusal);
    expect(() => openSessionReader(parseAbsolutePath(folder))).toThrow(refusal);
  });

  it("is made by nobody who only reads", () => {
    const folder = temporaryFolder();
    const reader = readerOf(folder);
    expect([reader.list(), reader.get("thread-1")]).toEqual([[], undefined]);
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  it("says that a row is none of a session's", () => {
    const folder = temporaryFolder();
    storeIn(folder).put(aSession());
    const database = new DatabaseSync(path.join(folder, NAME));
    database.exec("UPDATE sessions SET state = 'fine'");
    database.close();
    expect(() => readerOf(folder).list()).toThrow(expect.objectContaining({ code: "damaged" }));
  });
});
