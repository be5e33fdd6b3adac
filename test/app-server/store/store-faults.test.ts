/** What a store does when its file is not what it should be. */
import fs from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { openThreadStore } from "../../../src/app-server/store/open-thread-store.ts";
import type { ThreadStore } from "../../../src/app-server/store/thread-store.ts";
import { ThreadStoreError } from "../../../src/app-server/store/thread-store-error.ts";
import { THREADS_FILE } from "../../../src/app-server/store/threads-file.ts";
import { parseAbsolutePath } from "../../../src/policy/index.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { aCommand, anItem, aQuery, aThread, aTurn, upwards } from "./support/kept-threads.ts";
import { NAME, refusal, storeIn } from "./support/open-stores.ts";
import { threadWriters } from "./support/run-thread-writer.ts";

const OURS = `PRAGMA application_id = ${THREADS_FILE.application}`;
const PAGE = 4096;
const runThreadWriter = threadWriters();

function sql(file: string, text: string): void {
  const database = new DatabaseSync(file);
  database.exec(text);
  database.close();
  fs.chmodSync(file, 0o600);
}

/** A folder with threads, all in the one file. */
function folderWithThreads(): string {
  const folder = temporaryFolder();
  const store = openThreadStore(parseAbsolutePath(folder));
  for (let at = 0; at < 12; at += 1) {
    const thread = `thread-${at}`;
    store.create(aThread(thread, { createdAt: at, preview: "p".repeat(at * 500) }));
    store.startTurn(thread, aTurn());
    for (const id of ["1", "2", "3"]) {
      const output = "o".repeat(at * 900);
      store.putItem(thread, anItem(aCommand(id, { status: "completed", output })));
    }
  }
  store.close();
  sql(path.join(folder, NAME), "PRAGMA wal_checkpoint(truncate); PRAGMA journal_mode = delete");
  sql(path.join(folder, NAME), "PRAGMA journal_mode = wal");
  return folder;
}

/** All that a store knows. Throws what it throws. */
function everything(folder: string): unknown {
  const store = openThreadStore(parseAbsolutePath(folder));
  try {
    const { data, damaged } = store.list(aQuery());
    const [first] = damaged;
    if (first) throw new ThreadStoreError("damaged", first.reason);
    return data.map((thread) => [thread, store.find(thread.id), historyOf(store, thread.id)]);
  } finally {
    store.close();
  }
}

function historyOf(store: ThreadStore, id: string): unknown {
  return [store.turns(id, upwards()).data, store.history(id), store.items(id, "turn-1", upwards())];
}

function codeOf(act: () => unknown): string {
  try {
    act();
    return "nothing";
  } catch (error) {
    if (error instanceof ThreadStoreError) return error.code;
    throw error;
  }
}

describe("a file that is no store of threads", () => {
  it.each<[string, string, string, (file: string) => void]>([
    ["a text", "damaged", "Move it away", (file) => fs.writeFileSync(file, "x".repeat(9000))],
    ["a word", "damaged", "Move it away", (file) => fs.writeFileSync(file, "hello")],
    ["another database", "foreign", "another program", (file) => sql(file, "CREATE TABLE a (b)")],
    [
      "a store of receipts",
      "foreign",
      "another program",
      (file) => sql(file, "PRAGMA application_id = 0x77726974"),
    ],
    [
      "a newer store",
      "newer",
      "it is of version 2, expected 1",
      (file) => sql(file, `${OURS}; PRAGMA user_version = 2`),
    ],
    [
      "one without tables",
      "damaged",
      "expected threads and turns",
      (file) => sql(file, `${OURS}; PRAGMA user_version = 1; PRAGMA journal_mode = wal`),
    ],
  ])("refuses %s as %s and leaves every byte of it", (_, code, words, make) => {
    const folder = temporaryFolder();
    const file = path.join(folder, NAME);
    make(file);
    fs.chmodSync(file, 0o600);
    const before = fs.readFileSync(file);
    expect(() => openThreadStore(parseAbsolutePath(folder))).toThrow(refusal(code, words));
    expect(fs.readFileSync(file).equals(before)).toBe(true);
  });

  it.each<[string, (file: string) => void]>([
    ["a folder", (file) => fs.mkdirSync(file)],
    ["a link", (file) => fs.symlinkSync("elsewhere", file)],
    ["one that others may read", (file) => fs.writeFileSync(file, "", { mode: 0o644 })],
  ])("refuses %s", (_, make) => {
    const folder = temporaryFolder();
    make(path.join(folder, NAME));
    expect(() => openThreadStore(parseAbsolutePath(folder))).toThrow(refusal("foreign"));
  });

  it("says that there is no folder", () => {
    const nowhere = parseAbsolutePath(path.join(temporaryFolder(), "no"));
    expect(() => openThreadStore(nowhere)).toThrow(refusal("unusable"));
  });
});

describe("a file that a bad disk changed", { timeout: 120_000 }, () => {
  it("is refused when it was cut, and keeps every byte that is left", () => {
    const folder = folderWithThreads();
    const file = path.join(folder, NAME);
    const whole = fs.readFileSync(file);
    for (const size of [100, 1000, PAGE, 3 * PAGE, whole.length - PAGE, whole.length - 1]) {
      fs.writeFileSync(file, whole.subarray(0, size));
      expect([size, codeOf(() => everything(folder))]).toEqual([size, "damaged"]);
      expect(fs.readFileSync(file).equals(whole.subarray(0, size))).toBe(true);
    }
  });

  it.each([0, 0xa5])("never reads as another one, whichever page is full of %i", (byte) => {
    const folder = folderWithThreads();
    const file = path.join(folder, NAME);
    const whole = fs.readFileSync(file);
    const known = everything(folder);
    const codes: string[] = [];
    for (let page = 1; page < whole.length / PAGE; page += 1) {
      const bytes = Buffer.from(whole).fill(byte, page * PAGE, (page + 1) * PAGE);
      fs.writeFileSync(file, bytes);
      const code = codeOf(() => expect(everything(folder)).toEqual(known));
      codes.push(code);
      expect(fs.readFileSync(file).equals(bytes)).toBe(true);
    }
    expect(codes.length).toBeGreaterThan(20);
    // Indexes that none of these questions needs may be lost unseen.
    expect(codes.filter((code) => code !== "damaged" && code !== "nothing")).toEqual([]);
    expect(codes.filter((code) => code === "damaged").length).toBeGreaterThan(codes.length * 0.7);
  });

  it("is refused at the door where threads or turns cannot be read", () => {
    const folder = folderWithThreads();
    const file = path.join(folder, NAME);
    const pages = new DatabaseSync(file, { readOnly: true });
    const roots = ["threads", "turns", "threads_by_creation", "turns_in_order"].map(
      (name) =>
        pages.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").get(name)?.rootpage,
    );
    pages.close();
    const whole = fs.readFileSync(file);
    for (const root of roots.map(Number)) {
      fs.writeFileSync(file, Buffer.from(whole).fill(0, (root - 1) * PAGE, root * PAGE));
      expect(() => openThreadStore(parseAbsolutePath(folder))).toThrow(
        refusal("damaged", "Cannot"),
      );
    }
  });
});

describe("a store whose file is taken away under whoever has it open", () => {
  it.each<[string, (file: string) => void]>([
    ["removed", (file) => fs.rmSync(file)],
    ["moved", (file) => fs.renameSync(file, `${file}.old`)],
  ])("keeps nothing more of a thread once it is %s: nobody would find it", (_, take) => {
    const folder = temporaryFolder();
    const store = storeIn(folder);
    store.create(aThread("first"));
    take(path.join(folder, NAME));
    expect(codeOf(() => store.create(aThread("second")))).toBe("unusable");
    expect(codeOf(() => store.startTurn("first", aTurn()))).toBe("unusable");
  });
});

describe("a disk without room", () => {
  it("takes no further item, says so and keeps what it has", async () => {
    const folder = temporaryFolder();
    const first = storeIn(folder);
    first.create(aThread("first"));
    first.startTurn("first", aTurn());
    first.putItem("first", anItem(aCommand("1", { status: "completed" })));
    first.close();
    // In blocks of 512 bytes; the log may grow to half a megabyte.
    const writer = runThreadWriter([folder, "thread-1", "1000", "10000"], "ulimit -f 1024;");
    await writer.over();
    expect(writer.said("failed")).toEqual(["full"]);
    const store = storeIn(folder);
    const kept = store.history("thread-1").filter(({ completedAt }) => completedAt !== null);
    expect(kept.map(({ item }) => item.id)).toEqual(writer.said("kept"));
    expect(kept.length).toBeGreaterThan(5);
    expect(store.history("first")).toHaveLength(1);
  });
});
