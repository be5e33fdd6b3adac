/** The turns of threads and their items, in the file of a store. What changes, changes in a transaction of the caller's. */
import type { TurnItem } from "../../agent/index.ts";
import { checkKeptId, checkKeptTime, invalid } from "./check-kept.ts";
import { failedItem } from "./items/failed-item.ts";
import { isInProgress, readKept, readKeptItem, writeKeptItem } from "./items/kept-item.ts";
import { ReadItems } from "./items/read-items.ts";
import { readPage } from "./read-page.ts";
import type { ThreadFile } from "./thread-file.ts";
import type { ItemRecord, TurnRecord } from "./thread-record.ts";
import type { Page, PageQuery } from "./thread-store.ts";
import { ThreadStoreError } from "./thread-store-error.ts";

interface TurnRow extends TurnRecord {
  readonly seq: number;
  readonly thread: number;
}

interface ItemRow {
  readonly seq: number;
  readonly turnSeq: number;
  readonly turn: string;
  readonly id: string;
  readonly item: string;
  readonly startedAt: number;
  readonly completedAt: number | null;
}

const SELECT_ITEMS = `SELECT items.seq, items.turn AS turnSeq, turns.id AS turn, items.id, items.item,
  items.startedAt, items.completedAt FROM items JOIN turns ON turns.seq = items.turn
  WHERE items.thread = ?`;

const PUT_ITEM = `INSERT INTO items (thread, turn, id, isOpen, startedAt, completedAt, item)
  VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (turn, id) DO UPDATE SET isOpen = excluded.isOpen,
  startedAt = excluded.startedAt, completedAt = excluded.completedAt, item = excluded.item`;

const COPY_ITEMS = `INSERT INTO items (thread, turn, id, isOpen, startedAt, completedAt, item)
  SELECT copy.thread, copy.seq, items.id, items.isOpen, items.startedAt, items.completedAt, items.item
  FROM items JOIN turns ON turns.seq = items.turn
  JOIN turns AS copy ON copy.thread = ? AND copy.id = turns.id
  WHERE items.thread = ? ORDER BY items.turn, items.seq`;

export class ThreadTurns {
  readonly #file: ThreadFile;
  readonly #items = new ReadItems();

  constructor(file: ThreadFile) {
    this.#file = file;
  }

  start(thread: number, turn: TurnRecord): void {
    checkTurn(turn);
    if (this.#find(thread, turn.id) !== undefined) {
      throw new ThreadStoreError(
        "exists",
        `Cannot start the turn "${turn.id}": there is one, expected an id of its own`,
      );
    }
    const { id, state, error, startedAt, completedAt } = turn;
    this.#file.run(
      "INSERT INTO turns (thread, id, state, error, startedAt, completedAt) VALUES (?, ?, ?, ?, ?, ?)",
      ...[thread, id, state, error, startedAt, completedAt],
    );
  }

  end(thread: number, turn: TurnRecord): void {
    checkTurn(turn);
    const { id, state, error, startedAt, completedAt } = turn;
    if (state === "inProgress") {
      throw invalid(`the end of the turn "${id}"`, "it is in progress, expected how it ended");
    }
    const seq = this.#seqOf(thread, id);
    this.#file.run(
      "UPDATE turns SET state = ?, error = ?, startedAt = ?, completedAt = ? WHERE seq = ?",
      ...[state, error, startedAt, completedAt, seq],
    );
    const items = `${SELECT_ITEMS} AND items.turn = ? AND items.isOpen = 1`;
    this.#fail(this.#file.rows<ItemRow>(items, thread, seq), completedAt ?? Date.now());
  }

  /** Ends what nobody works on any more. */
  endAll(thread: number): void {
    const now = Date.now();
    this.#file.run(
      "UPDATE turns SET state = 'interrupted', completedAt = ? WHERE thread = ? AND state = 'inProgress'",
      ...[now, thread],
    );
    this.#fail(this.#open(thread), now);
  }

  #open(thread: number): ItemRow[] {
    return this.#file.rows<ItemRow>(`${SELECT_ITEMS} AND items.isOpen = 1`, thread);
  }

  put(thread: number, { turn, item, startedAt, completedAt }: ItemRecord): void {
    const what = `the item "${item.id}"`;
    checkKeptTime(what, startedAt);
    checkKeptTime(what, completedAt);
    const isOpen = completedAt === null || isInProgress(item) ? 1 : 0;
    const values = [item.id, isOpen, startedAt, completedAt, writeKeptItem(item)];
    this.#file.run(PUT_ITEM, thread, this.#seqOf(thread, turn), ...values);
  }

  /** One that is over is not asked about. */
  markAsked(thread: number, { turn, id }: { turn: string; id: string }, isAsked: boolean): void {
    const open = `${SELECT_ITEMS} AND items.turn = ? AND items.id = ? AND items.isOpen = 1`;
    const row = this.#file.row<ItemRow>(open, thread, this.#seqOf(thread, turn), id);
    if (row !== undefined) this.#mark(row, isAsked);
  }

  #mark(row: ItemRow, isAsked: boolean): void {
    const item = writeKeptItem(readKeptItem(row), isAsked);
    this.#file.run("UPDATE items SET item = ? WHERE seq = ?", item, row.seq);
  }

  count(thread: number): number {
    const sql = "SELECT count(*) AS found FROM turns WHERE thread = ?";
    return this.#file.row<{ found: number }>(sql, thread)?.found ?? 0;
  }

  bytes(thread: number): number {
    const sql = "SELECT sum(octet_length(item)) AS found FROM items WHERE thread = ?";
    return this.#file.row<{ found: number | null }>(sql, thread)?.found ?? 0;
  }

  page(thread: number, query: PageQuery): Page<TurnRecord> {
    const source = {
      scope: `turns/${thread}`,
      select: "SELECT * FROM turns WHERE thread = ?",
      values: [thread],
      columns: ["thread", "seq"] as const,
      key: (row: TurnRow) => [row.thread, row.seq] as const,
    };
    const page = readPage(this.#file, source, query);
    return { ...page, data: page.data.map(turnOfRow) };
  }

  itemPage(thread: number, turn: string | null, query: PageQuery): Page<ItemRecord> {
    const seq = turn === null ? null : this.#file.read(() => this.#seqOf(thread, turn));
    const source = {
      scope: `items/${thread}/${seq ?? "*"}`,
      select: seq === null ? SELECT_ITEMS : `${SELECT_ITEMS} AND items.turn = ?`,
      values: seq === null ? [thread] : [thread, seq],
      columns: ["items.turn", "items.seq"] as const,
      key: (row: ItemRow) => [row.turnSeq, row.seq] as const,
      lengthOf: ({ item }: ItemRow) => item.length,
    };
    const page = readPage(this.#file, source, query);
    return { ...page, data: page.data.map((row) => itemOfRow(row, readKeptItem(row))) };
  }

  history(thread: number): ItemRecord[] {
    const sql = `${SELECT_ITEMS} ORDER BY items.turn, items.seq`;
    return this.#file
      .rows<ItemRow>(sql, thread)
      .map((row) => itemOfRow(row, this.#items.read(row)));
  }

  copy(from: number, to: number): void {
    this.#file.run(
      `INSERT INTO turns (thread, id, state, error, startedAt, completedAt)
      SELECT ?, id, state, error, startedAt, completedAt FROM turns WHERE thread = ? ORDER BY seq`,
      ...[to, from],
    );
    this.#file.run(COPY_ITEMS, to, from);
    // Where it goes on there may still be a yes: nobody can say here that it was never begun.
    for (const row of this.#open(to)) this.#mark(row, false);
    this.endAll(to);
  }

  #fail(rows: readonly ItemRow[], at: number): void {
    for (const row of rows) {
      this.#file.run(
        "UPDATE items SET isOpen = 0, completedAt = ?, item = ? WHERE seq = ?",
        ...[row.completedAt ?? at, writeKeptItem(failedItem(readKept(row))), row.seq],
      );
    }
  }

  #find(thread: number, id: string): number | undefined {
    const sql = "SELECT seq FROM turns WHERE thread = ? AND id = ?";
    return this.#file.row<{ seq: number }>(sql, thread, id)?.seq;
  }

  #seqOf(thread: number, id: string): number {
    const seq = this.#find(thread, id);
    if (seq !== undefined) return seq;
    throw new ThreadStoreError(
      "missing",
      `Cannot find the turn "${id}": its thread has none of this id, expected one that has begun`,
    );
  }
}

function checkTurn({ id, startedAt, completedAt }: TurnRecord): void {
  const what = `the turn "${id}"`;
  checkKeptId(what, id);
  checkKeptTime(what, startedAt);
  checkKeptTime(what, completedAt);
}

function turnOfRow({ id, state, error, startedAt, completedAt }: TurnRow): TurnRecord {
  return { id, state, error, startedAt, completedAt };
}

function itemOfRow(row: ItemRow, item: TurnItem): ItemRecord {
  const { turn, startedAt, completedAt } = row;
  return { turn, item, startedAt, completedAt };
}
