/** What a store does when its file is not what it should be, and when processes die. */
import fs from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { openReceiptReader } from "../../../src/exec/receipts/receipt-reader.ts";
import { openReceiptStore, type ReceiptStore } from "../../../src/exec/receipts/receipt-store.ts";
import { parseAbsolutePath } from "../../../src/policy/index.ts";
import { Receipt } from "../../../src/sandbox/index.ts";
import { rounds } from "../../support/campaign.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { anEnd, aRefusal, aStart } from "./kept-receipts.ts";
import { receiptWriters, type Writer } from "./run-writer.ts";

const NAME = "receipts.sqlite";
const runWriter = receiptWriters();

/** A folder with so many receipts, all in the one file. */
function folderWith(count: number): string {
  const folder = temporaryFolder();
  const store = openReceiptStore(parseAbsolutePath(folder));
  for (let run = 0; run < count; run += 1) {
    const start = aStart();
    store.started(start);
    store.ended(anEnd(start));
  }
  store.close();
  sql(path.join(folder, NAME), "PRAGMA wal_checkpoint(truncate)");
  return folder;
}

function listed(folder: string): Receipt[] {
  const reader = openReceiptReader(parseAbsolutePath(folder));
  try {
    return reader.list({});
  } finally {
    reader.close();
  }
}

/** All that tells whether somebody has written to it. */
function stateOf(file: string) {
  const { ino, size, mode, mtimeNs } = fs.lstatSync(file, { bigint: true });
  return { ino, size, mode, mtimeNs };
}

/** Overwrites the file from its second page on, as a bad disk would. */
function spoil(file: string): void {
  const bytes = fs.readFileSync(file);
  fs.writeFileSync(file, bytes.fill(0xa5, 4096));
}

function sql(file: string, text: string): void {
  const database = new DatabaseSync(file);
  database.exec(text);
  database.close();
  fs.chmodSync(file, 0o600);
}

describe("a store whose file is taken away under whoever has it open", () => {
  const away = {
    removed: (file: string) => fs.rmSync(file),
    moved: (file: string) => fs.renameSync(file, `${file}.old`),
    replaced: (file: string) => {
      fs.copyFileSync(file, `${file}.new`);
      fs.renameSync(`${file}.new`, file);
    },
  };

  it.each(Object.entries(away))(
    "keeps no receipt once it is %s: nobody would find it",
    (_, take) => {
      const folder = temporaryFolder();
      const file = path.join(folder, NAME);
      const store = openReceiptStore(parseAbsolutePath(folder));
      const start = aStart();
      store.started(start);
      take(file);
      const sentence = `Cannot write to "${file}": it was moved or removed, expected the store of receipts that was opened. Start writ again, and a new one is made`;
      const refusal = expect.objectContaining({ code: "unusable", message: sentence });
      expect(() => store.started(aStart())).toThrow(refusal);
      expect(() => store.ended(anEnd(start))).toThrow(refusal);
      store.close();
    },
  );

  it.each(["-wal", "-shm"])("keeps no receipt once its %s is removed", (ending) => {
    const folder = temporaryFolder();
    const part = path.join(folder, `${NAME}${ending}`);
    const store = openReceiptStore(parseAbsolutePath(folder));
    const start = aStart();
    store.started(start);
    fs.rmSync(part);
    const refusal = expect.objectContaining({ message: expect.stringContaining(`"${part}"`) });
    expect(() => store.started(aStart())).toThrow(refusal);
    expect(() => store.ended(anEnd(start))).toThrow(refusal);
    store.close();
  });

  it("goes on while others open and close the same store", () => {
    const folder = temporaryFolder();
    const store = openReceiptStore(parseAbsolutePath(folder));
    for (let round = 0; round < 3; round += 1) {
      const other = openReceiptStore(parseAbsolutePath(folder));
      other.started(aStart());
      other.close();
      new DatabaseSync(path.join(folder, NAME)).close();
      sql(path.join(folder, NAME), "PRAGMA wal_checkpoint(TRUNCATE)");
      store.started(aStart());
    }
    store.close();
  });
});

describe("an end that could not be kept", () => {
  /** One run whose end came while the file was away, and what a reader finds of it. */
  function missed() {
    const folder = temporaryFolder();
    const file = path.join(folder, NAME);
    const store = openReceiptStore(parseAbsolutePath(folder));
    const start = aStart();
    store.started(start);
    fs.renameSync(file, `${file}.old`);
    expect(() => store.ended(anEnd(start))).toThrow(/moved or removed/);
    fs.renameSync(`${file}.old`, file);
    const kind = () => listed(folder).find(({ id }) => id === start.id)?.outcome.kind;
    expect(kind()).toBe("running");
    return { store, kind };
  }

  it.each<[string, (store: ReceiptStore) => void]>([
    ["the next beginning", (store) => store.started(aStart())],
    ["the next end", (store) => store.ended(aRefusal())],
    ["the end of the store", (store) => store.close()],
  ])("is kept with %s, so that its run does not seem to go on", (_, act) => {
    const { store, kind } = missed();
    act(store);
    expect(kind()).toBe("exited");
  });

  it("is kept once, however much is kept behind it", () => {
    const { store, kind } = missed();
    store.ended(aRefusal());
    store.ended(aRefusal());
    expect(kind()).toBe("exited");
    expect(store.list({})).toHaveLength(3);
    store.close();
  });
});

describe("a file that is no store of this user's", () => {
  it.each<[string, string, string, (file: string) => void]>([
    ["a text", "damaged", "Move it away", (file) => fs.writeFileSync(file, "x".repeat(9000))],
    ["a word", "damaged", "Move it away", (file) => fs.writeFileSync(file, "hello")],
    ["another database", "foreign", "Move it away", (file) => sql(file, "CREATE TABLE a (b)")],
    [
      "another program's empty one",
      "foreign",
      "another program",
      (file) => sql(file, "PRAGMA application_id = 7"),
    ],
    [
      "a newer store",
      "newer",
      "it is of version 9, expected 1",
      (file) => sql(file, "PRAGMA application_id = 0x77726974; PRAGMA user_version = 9"),
    ],
    ["a folder", "foreign", "not a plain file", (file) => fs.mkdirSync(file)],
    ["a link", "foreign", "not a plain file", (file) => fs.symlinkSync("elsewhere", file)],
    [
      "one that others may read",
      "foreign",
      "chmod 600",
      (file) => fs.writeFileSync(file, "", { mode: 0o644 }),
    ],
  ])("refuses %s as %s and leaves it as it is", (_, code, words, make) => {
    const folder = temporaryFolder();
    const file = path.join(folder, NAME);
    make(file);
    if (fs.lstatSync(file).isFile() && code === "damaged") fs.chmodSync(file, 0o600);
    const before = stateOf(file);
    const refusal = expect.objectContaining({ code, message: expect.stringContaining(words) });
    expect(() => openReceiptStore(parseAbsolutePath(folder))).toThrow(refusal);
    expect(() => openReceiptReader(parseAbsolutePath(folder))).toThrow(refusal);
    expect(stateOf(file)).toEqual(before);
  });

  it("refuses a damaged one when it is read and when it is written", () => {
    const folder = folderWith(50);
    spoil(path.join(folder, NAME));
    const damaged = expect.objectContaining({ code: "damaged" });
    expect(() => listed(folder)).toThrow(damaged);
    expect(() => openReceiptStore(parseAbsolutePath(folder)).started(aStart())).toThrow(damaged);
    expect(fs.readdirSync(folder)).toContain(NAME);
  });

  it("says what lies where its folder should be", () => {
    const file = path.join(temporaryFolder(), "file");
    fs.writeFileSync(file, "");
    const home = parseAbsolutePath(file);
    const told = /^Cannot open ".*\/file\/receipts\.sqlite": ENOTDIR.* Set WRIT_HOME to one$/;
    for (const open of [openReceiptReader, openReceiptStore]) {
      expect(() => open(home)).toThrow(
        expect.objectContaining({ code: "unusable", message: expect.stringMatching(told) }),
      );
    }
  });

  it("says that there is no folder", () => {
    const nowhere = parseAbsolutePath(path.join(temporaryFolder(), "no"));
    const unusable = expect.objectContaining({ code: "unusable" });
    expect(() => openReceiptStore(nowhere)).toThrow(unusable);
    expect(openReceiptReader(nowhere).list({})).toEqual([]);
  });

  it("goes on where its maker died between making the file and its tables", () => {
    for (const half of ["", "PRAGMA journal_mode = wal"]) {
      const folder = temporaryFolder();
      const file = path.join(folder, NAME);
      if (half === "") fs.writeFileSync(file, "", { mode: 0o600 });
      else sql(file, half);
      const store = openReceiptStore(parseAbsolutePath(folder));
      store.started(aStart());
      expect(store.list({})).toHaveLength(1);
      store.close();
    }
  });
});

describe("a disk without room", { timeout: 60_000 }, () => {
  it("takes no further run, says so and keeps what it has", async () => {
    const folder = folderWith(3);
    // In blocks of 512 bytes; the log may grow to half a megabyte.
    const writer = runWriter([folder, "1000", "10000"], "ulimit -f 1024;");
    await writer.until();
    const said = writer.said();
    expect(said.at(-1)).toEqual(["failed", "full"]);
    const [word] = said.at(-2) ?? [];
    expect(["starting", "started"]).toContain(word);
    const began = said.filter(([one]) => one === "started").map(([, id]) => id);
    const kept = listed(folder).map(({ id }) => id);
    expect(kept.slice(0, -3).toReversed()).toEqual(began);
  });
});

describe("processes", { timeout: 120_000 }, () => {
  it("make one store at the same time and lose no receipt", async () => {
    const folder = temporaryFolder();
    const writers = Array.from({ length: 4 }, () => runWriter([folder, "50"]));
    await Promise.all(writers.map((one) => one.until()));
    const ended = writers.flatMap((one) => one.said()).filter(([word]) => word === "ended");
    expect(ended).toHaveLength(200);
    expect(new Set(listed(folder).map(({ id }) => id))).toEqual(new Set(ended.map(([, id]) => id)));
  });

  it("leave a run that is listed as running while they live, and as unknown afterwards", async () => {
    const folder = temporaryFolder();
    const writer = runWriter([folder, "0"]);
    await writer.until("started");
    expect(listed(folder)[0]?.outcome).toEqual({ kind: "running" });
    writer.child.kill("SIGKILL");
    await writer.until();
    const [receipt] = listed(folder);
    expect(Receipt.parse(receipt)).toMatchObject({
      id: writer.said()[0]?.[1],
      endedAt: null,
      outcome: { kind: "unknown", reason: expect.stringContaining("gone before it could say") },
    });
  });

  it("that are killed at any point leave every run they began, whole", async () => {
    const folder = temporaryFolder();
    const writers: Writer[] = [];
    for (let round = 0; round < rounds(100) / 5; round += 1) {
      const some = Array.from({ length: 6 }, () => runWriter([folder, "100000", "500"]));
      writers.push(...some);
      await Promise.all(some.map((one) => one.until("started")));
      for (const one of some) {
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 20));
        one.child.kill("SIGKILL");
      }
      await Promise.all(some.map((one) => one.until()));
    }
    const kept = new Map(listed(folder).map((receipt) => [receipt.id, Receipt.parse(receipt)]));
    const said = writers.flatMap((one) => one.said());
    const idsOf = (word: string) => said.filter(([one]) => one === word).map(([, id]) => id);
    const [starting, started, ended] = ["starting", "started", "ended"].map(idsOf);
    expect(idsOf("failed")).toEqual([]);
    expect(started?.filter((id) => !kept.has(id))).toEqual([]);
    expect(ended?.filter((id) => kept.get(id)?.outcome.kind !== "exited")).toEqual([]);
    const known = new Set(starting);
    expect([...kept.keys()].filter((id) => !known.has(id))).toEqual([]);
    const kinds = new Set([...kept.values()].map(({ outcome }) => outcome.kind));
    expect([...kinds].filter((kind) => kind !== "exited" && kind !== "unknown")).toEqual([]);
  });
});
