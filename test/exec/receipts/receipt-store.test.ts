import fs from "node:fs";
import path from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  KeptReceipts,
  openReceiptReader,
  type ReceiptReader,
} from "../../../src/exec/receipts/receipt-reader.ts";
import { openReceiptStore, type ReceiptStore } from "../../../src/exec/receipts/receipt-store.ts";
import { parseAbsolutePath } from "../../../src/policy/index.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { anEnd, aRefusal, aStart } from "./kept-receipts.ts";

type Bounds = Parameters<typeof openReceiptStore>[1];

function openIn(folder: string, bounds: Bounds = {}): ReceiptStore {
  const store = openReceiptStore(parseAbsolutePath(folder), bounds);
  onTestFinished(() => store.close());
  return store;
}

function readerIn(folder: string): ReceiptReader {
  const reader = openReceiptReader(parseAbsolutePath(folder));
  onTestFinished(() => reader.close());
  return reader;
}

const open = (bounds: Bounds = {}) => openIn(temporaryFolder(), bounds);

const UNSEEN = { outcome: { kind: "running" }, endedAt: null, durationMs: null } as const;

/** A run from beginning to end. */
function keep(store: ReceiptStore, start = aStart()): string {
  store.started(start);
  store.ended(anEnd(start));
  return start.id;
}

describe("a store of receipts", () => {
  it("gives back what was kept, whole and the newest first", () => {
    const folder = temporaryFolder();
    const store = openIn(folder);
    const start = aStart({ notes: ["the stronger back-end is used"], command: ["a", "ü\0\ud800"] });
    const end = anEnd(start);
    store.started(start);
    store.ended(end);
    const refusal = aRefusal();
    store.ended(refusal);
    store.close();
    const again = readerIn(folder);
    expect(again.list({})).toEqual([refusal, end]);
    expect(again.get(start.id)).toEqual(end);
    expect(again.get("no such id")).toBeUndefined();
  });

  it("finds runs by thread, by number and by the end of their id", () => {
    const store = open();
    const threads = ["a", "b", "a", "b", "a"];
    const ids = threads.map((thread) => keep(store, aStart({ ids: { thread } })));
    keep(store, aStart({ ids: {} }));
    const listed = (query: object) => store.list(query).map(({ id }) => id);
    expect(listed({ thread: "a" })).toEqual([ids[4], ids[2], ids[0]]);
    expect(listed({ thread: "a", limit: 2 })).toEqual([ids[4], ids[2]]);
    expect(listed({ thread: "c" })).toEqual([]);
    expect(listed({ limit: 0 })).toEqual([]);
    expect(listed({})).toHaveLength(6);
    expect(store.idsEndingWith(ids[0]?.slice(-12) ?? "")).toEqual([ids[0]]);
    expect(store.idsEndingWith("%")).toEqual([]);
  });

  it("lists a run that has begun as running, with all that is known of it", () => {
    const store = open();
    const start = aStart();
    store.started(start);
    expect(store.get(start.id)).toMatchObject({ ...start, outcome: { kind: "running" } });
  });

  it("is for this user alone, with the files beside it", () => {
    const folder = temporaryFolder();
    keep(openIn(folder));
    const names = fs.readdirSync(folder);
    expect(names.toSorted()).toEqual(["", "-shm", "-wal"].map((end) => `receipts.sqlite${end}`));
    for (const name of names) {
      expect(fs.statSync(path.join(folder, name)).mode & 0o777).toBe(0o600);
    }
  });

  it("refuses a second beginning, a second end and an end that is none", () => {
    const store = open();
    const start = aStart();
    store.started(start);
    const again = {
      code: "refused",
      message: expect.stringContaining("one is kept under this id"),
    };
    expect(() => store.started(start)).toThrow(expect.objectContaining(again));
    store.ended(anEnd(start));
    expect(() => store.ended(anEnd(start))).toThrow(expect.objectContaining(again));
    expect(() => store.ended(anEnd(aStart(), UNSEEN))).toThrow("it still runs");
    const secret = { ...anEnd(aStart()), env: { TOKEN: "hunter2" } };
    expect(() => store.ended(secret)).toThrow("Cannot create the receipt");
    expect(store.list({})).toHaveLength(1);
  });

  it("refuses a beginning that nothing enforces and nobody waived", () => {
    const store = open();
    for (const wrong of [
      { enforced: null },
      { boundDigest: null },
      { waived: { by: "a", reason: "b" } },
    ]) {
      expect(() => store.started(aStart(wrong))).toThrow("Cannot create the receipt");
    }
    expect(store.list({})).toEqual([]);
  });

  it("has rows that nobody changes", () => {
    const folder = temporaryFolder();
    keep(openIn(folder));
    const raw = new DatabaseSync(path.join(folder, "receipts.sqlite"));
    onTestFinished(() => raw.close());
    expect(() => raw.exec("UPDATE runs SET start = '{}'")).toThrow("append-only");
    expect(() => raw.exec("UPDATE ends SET receipt = '{}'")).toThrow("append-only");
  });

  it("makes nothing for whoever only reads", () => {
    const folder = temporaryFolder();
    const empty = readerIn(folder);
    expect(empty.list({})).toEqual([]);
    expect(empty.get("x")).toBeUndefined();
    expect(empty.idsEndingWith("x")).toEqual([]);
    expect(fs.readdirSync(folder)).toEqual([]);
    fs.writeFileSync(path.join(folder, "receipts.sqlite"), "", { mode: 0o600 });
    expect(readerIn(folder).list({})).toEqual([]);
    expect(fs.readdirSync(folder)).toEqual(["receipts.sqlite"]);
  });

  it("is read while somebody writes, after that, and without its log", () => {
    const folder = temporaryFolder();
    const store = openIn(folder);
    const reader = readerIn(folder);
    keep(store);
    expect(reader.list({})).toHaveLength(1);
    store.close();
    expect(reader.list({})).toHaveLength(1);
    reader.close();
    const later = readerIn(folder);
    expect(later.list({})).toHaveLength(1);
    later.close();
    const raw = new DatabaseSync(path.join(folder, "receipts.sqlite"));
    raw.exec("PRAGMA journal_mode = delete");
    raw.close();
    expect(readerIn(folder).list({})).toHaveLength(1);
    keep(openIn(folder));
    expect(readerIn(folder).list({})).toHaveLength(2);
  });

  it("finds an end that a process kept between a look at the store and a look at the process", () => {
    const folder = temporaryFolder();
    const store = openIn(folder);
    const start = aStart();
    const database = new DatabaseSync(path.join(folder, "receipts.sqlite"));
    onTestFinished(() => database.close());
    const gone = "1-1-1-before-the-last-boot";
    database
      .prepare("INSERT INTO runs (id, process, start) VALUES (?, ?, ?)")
      .run(start.id, gone, JSON.stringify({ ...anEnd(start), ...UNSEEN }));
    expect(store.get(start.id)?.outcome.kind).toBe("unknown");
    const all = (sql: string, values: SQLInputValue[]) => {
      const rows = database.prepare(sql).all(...values);
      if (store.get(start.id)?.outcome.kind === "unknown") store.ended(anEnd(start));
      return rows;
    };
    const slow = {
      prepare: (sql: string) => ({ all: (...values: SQLInputValue[]) => all(sql, values) }),
    } as unknown as DatabaseSync;
    const nothing = () => {};
    const file = { path: "x", database: slow, refuseMoved: nothing, close: nothing };
    const late = new KeptReceipts(file);
    expect(late.list({})).toEqual([anEnd(start)]);
  });

  it("holds the end of a run that it could not keep, and no refusal", () => {
    const folder = temporaryFolder();
    const file = path.join(folder, "receipts.sqlite");
    const store = openIn(folder);
    const start = aStart();
    store.started(start);
    fs.renameSync(file, `${file}.away`);
    for (const receipt of [anEnd(start), aRefusal()]) {
      expect(() => store.ended(receipt)).toThrow(expect.objectContaining({ code: "unusable" }));
    }
    fs.renameSync(`${file}.away`, file);
    const later = keep(store);
    expect(store.list({}).map(({ id, outcome }) => [id, outcome.kind])).toEqual([
      [later, "exited"],
      [start.id, "exited"],
    ]);
  });

  it("says which receipt is none", () => {
    const folder = temporaryFolder();
    const store = openIn(folder);
    const raw = new DatabaseSync(path.join(folder, "receipts.sqlite"));
    onTestFinished(() => raw.close());
    raw.exec("INSERT INTO runs (id, start) VALUES ('evil', '{\"version\":1}')");
    const damaged = { code: "damaged", message: expect.stringContaining('receipt "evil"') };
    expect(() => store.list({})).toThrow(expect.objectContaining(damaged));
  });
});

describe("a store that is full of receipts", () => {
  it("lets the oldest go, beginnings and ends alike", () => {
    const folder = temporaryFolder();
    const store = openIn(folder, { maxReceipts: 10 });
    const ids = Array.from({ length: 25 }, () => keep(store));
    expect(store.list({}).map(({ id }) => id)).toEqual(ids.slice(-10).toReversed());
    const raw = new DatabaseSync(path.join(folder, "receipts.sqlite"));
    onTestFinished(() => raw.close());
    expect(raw.prepare("SELECT count(*) AS rows FROM ends").get()).toEqual({ rows: 10 });
  });

  it("stays within its bytes, and keeps the newest", () => {
    const folder = temporaryFolder();
    const maxBytes = 512 * 1024;
    const store = openIn(folder, { maxBytes });
    const ids = Array.from({ length: 60 }, () => keep(store, aStart({ cwd: "x".repeat(20_000) })));
    const kept = store.list({}).map(({ id }) => id);
    expect(kept).toEqual(ids.slice(-kept.length).toReversed());
    expect(kept.length).toBeGreaterThan(8);
    store.close();
    const raw = new DatabaseSync(path.join(folder, "receipts.sqlite"));
    raw.exec("PRAGMA wal_checkpoint(truncate)");
    raw.close();
    expect(fs.statSync(path.join(folder, "receipts.sqlite")).size).toBeLessThan(maxBytes * 1.25);
  });

  it("keeps the end of a run whose beginning has gone", () => {
    const store = open({ maxReceipts: 3 });
    const long = aStart();
    store.started(long);
    for (let run = 0; run < 5; run += 1) keep(store);
    expect(store.get(long.id)).toBeUndefined();
    store.ended(anEnd(long));
    expect(store.get(long.id)).toEqual(anEnd(long));
    expect(store.list({})).toHaveLength(3);
  });

  it("refuses one receipt that would crowd out the others", () => {
    const store = open({ maxBytes: 100_000 });
    const large = aStart({ command: ["x".repeat(60_000)] });
    expect(() => store.started(large)).toThrow("it is larger than 50000 bytes");
    expect(store.list({})).toEqual([]);
  });
});
